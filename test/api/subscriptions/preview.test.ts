import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { setClock } from '../../support/deliveries.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { create, refusal } from '../../support/subscriptions.ts'

afterAll(untilQuiet)
afterEach(() => void vi.useRealTimers())

describe('the preview', () => {
  it('lists the next occurrences', async () => {
    setClock('2026-10-20T12:00:00Z')
    const project = await newProject()
    const rule = {
      frequency: 'weekly',
      byweekday: ['monday'],
      start_date: '2026-10-05T09:00:00',
      timezone: 'Europe/Berlin'
    }
    const { id } = await create(project, rule)

    expect((await project.call('GET', `subscriptions/${id}/preview/?n=2`)).body).toEqual({
      summary: 'sent every week on Monday',
      timezone: 'Europe/Berlin',
      results: ['2026-10-26T08:00:00Z', '2026-11-02T08:00:00Z']
    })
    expect((await project.call('GET', `subscriptions/${id}/preview/`)).body.results).toHaveLength(
      10
    )
  })

  it.each(['0', '-1', '101', 'x', '1.5'])('refuses n=%s', async (n) => {
    const project = await newProject()
    const { id } = await create(project)

    const answer = await project.call('GET', `subscriptions/${id}/preview/?n=${n}`)

    expect(refusal(answer)).toEqual([400, 'invalid_input', 'n'])
  })
})
