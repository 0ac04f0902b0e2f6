import { describe, expect, it } from 'vitest'
import { toInvitation } from '../../../src/access/invitations/email.ts'
import { ROLES } from '../../../src/access/roles.ts'

const LINK = 'https://analytics.example.com/console/#code=HLQ6kfsNFJmfb2PClG4xo8J2pZ9dwTs3a'

const INVITED = {
  link: LINK,
  role: 'editor' as const,
  to: 'tomas@example.com',
  inviting: { firstName: 'Ada', email: 'ada@example.com' },
  projects: [{ name: 'Harbour', timezone: 'Europe/Berlin' }],
  expiresAt: Date.UTC(2026, 10, 29, 9)
}

describe('the e-mail of an invitation', () => {
  it('says who invites to what, for how long, and what one may do', () => {
    const { subject, text, html } = toInvitation(INVITED)

    expect(subject).toBe('You are invited to Harbour')
    expect(text).toContain(LINK)
    expect(html).toContain(`href="${LINK}"`)
    for (const words of [
      'Ada (ada@example.com)',
      'As editor, you may build and share charts, and see persons, events and recordings.',
      'The link works once, until Sun 29 Nov 2026, 10:00 CET',
      'for at most 30 days'
    ]) {
      expect(text).toContain(words)
      expect(html).toContain(words)
    }
  })

  it('names the first project of several, and the operator if no user invites', () => {
    const { subject, text } = toInvitation({
      ...INVITED,
      inviting: undefined,
      projects: [...INVITED.projects, { name: 'Quay', timezone: 'UTC' }]
    })

    expect(subject).toBe('You are invited to Harbour and 1 more')
    expect(text).toContain('The operator of the service invites you.')
  })

  it('has words for each role', () => {
    const texts = ROLES.map((role) => toInvitation({ ...INVITED, role }).text)

    expect(new Set(texts).size).toBe(ROLES.length)
    expect(texts.join()).not.toContain('undefined')
  })

  it('runs and turns nothing that a name contains', () => {
    const hostile = '"><img src=x onerror=alert(1)>\u202e'
    const { html, text } = toInvitation({
      ...INVITED,
      inviting: { firstName: hostile, email: 'ada@example.com' },
      projects: [{ name: hostile, timezone: 'UTC' }]
    })

    expect(html).not.toContain('<img src=x')
    expect(text).not.toContain('\u202e')
  })
})
