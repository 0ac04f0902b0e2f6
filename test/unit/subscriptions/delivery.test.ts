import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Recipient } from '../../../src/db/schema.ts'
import { byteLength } from '../../../src/input/json.ts'
import { type Content, type Figures, figuresOfTrend } from '../../../src/subscriptions/content.ts'
import type { Digest } from '../../../src/subscriptions/digest.ts'
import { toEmail, toNotice } from '../../../src/subscriptions/email.ts'
import {
  beginSending,
  delayAfter,
  endSending,
  faultOf,
  giveUp,
  judge,
  MAX_ATTEMPTS
} from '../../../src/subscriptions/outcome.ts'
import type { Painted } from '../../../src/subscriptions/picture/picture.ts'
import { post } from '../../../src/subscriptions/post.ts'
import { sign } from '../../../src/subscriptions/signature.ts'
import { toBlocks } from '../../../src/subscriptions/slack.ts'
import { toPayload } from '../../../src/subscriptions/webhook.ts'
import { readTrend } from '../../../src/trends/request.ts'

const recipient = (fields: Partial<Recipient> = {}): Recipient => ({
  target: 'ada@example.com',
  status: 'waiting',
  repeated: false,
  error: null,
  ...fields
})

describe('a recipient', () => {
  it.each<[Partial<Recipient>, boolean, Partial<Recipient> | undefined]>([
    [{}, false, { status: 'sending', repeated: false }],
    [{ status: 'sent' }, true, undefined],
    [{ status: 'failed' }, true, undefined],
    [{ error: 'busy' }, false, { status: 'sending', error: null }],
    [{ status: 'sending' }, false, { status: 'sending', repeated: true }],
    [{ status: 'unknown' }, false, { status: 'sending', repeated: true }],
    [{ status: 'unknown', repeated: true }, false, undefined],
    [{ status: 'sending', repeated: true }, false, undefined],
    [{ status: 'sending', repeated: true }, true, { status: 'sending', repeated: true }],
    [{ repeated: true }, false, { status: 'sending', repeated: true }]
  ])('%j, in a channel that recognises repetitions: %s, becomes %j', (before, tells, after) => {
    expect(beginSending(recipient(before), tells)).toEqual(
      after && recipient({ ...before, ...after })
    )
  })

  it('has the outcome of its message', () => {
    const sending = recipient({ status: 'sending', error: 'before' })

    expect(endSending(sending, { kind: 'sent' })).toEqual(recipient({ status: 'sent' }))
    expect(endSending(sending, { kind: 'permanent', error: 'no' })).toMatchObject({
      status: 'failed',
      error: 'no'
    })
    expect(endSending(sending, { kind: 'transient', error: 'busy' })).toMatchObject({
      status: 'waiting',
      error: 'busy'
    })
    expect(endSending(sending, { kind: 'uncertain', error: 'cut' })).toMatchObject({
      status: 'unknown',
      error: 'cut'
    })
  })

  it('has a final state when there is no further attempt', () => {
    expect(giveUp(recipient({ error: 'busy' }), 'cut')).toMatchObject({
      status: 'failed',
      error: 'busy'
    })
    expect(giveUp(recipient(), 'cut')).toMatchObject({ status: 'failed', error: 'cut' })
    expect(giveUp(recipient({ status: 'sending' }), 'cut')).toMatchObject({
      status: 'unknown',
      error: 'The outcome is unknown: the message may have arrived.'
    })
    expect(giveUp(recipient({ status: 'sent' }), 'cut')).toEqual(recipient({ status: 'sent' }))
  })
})

it('says why recipients were missed', () => {
  const [sent, failed] = [
    recipient({ status: 'sent' }),
    recipient({ status: 'failed', error: 'no' })
  ]

  expect([
    faultOf([]),
    faultOf([sent]),
    faultOf([failed]),
    faultOf([sent, failed, failed])
  ]).toEqual([null, null, 'no', 'Failed or unconfirmed for 2 of 3 recipients; first error: no'])
})

it('waits longer after each attempt, at least as long as the receiver asks and at most a day', () => {
  const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, n) => delayAfter(n + 1))

  expect(delays).toEqual([30, 120, 600, 3_600, 24_000])
  expect([delayAfter(1, 90), delayAfter(5, 90), delayAfter(1, 999_999)]).toEqual([
    90, 24_000, 86_000
  ])
})

it.each([
  [200, 'sent'],
  [204, 'sent'],
  [302, 'permanent'],
  [400, 'permanent'],
  [410, 'permanent'],
  [408, 'transient'],
  [425, 'transient'],
  [429, 'transient'],
  [500, 'transient'],
  [599, 'transient']
])('judges %i as %s', (status, kind) => {
  expect(judge({ status, body: '', retryAfter: null }, 0).kind).toBe(kind)
})

it.each([
  ['7', 7],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 90],
  ['Wed, 21 Oct 2026 07:26:00 GMT', 0],
  ['Wed, 99 Oct 2026 07:28:00 GMT', undefined],
  ['2026', 2026],
  ['2026-10-21', undefined],
  ['-1', undefined],
  [null, undefined]
])('reads Retry-After: %s', (header, retryAfter) => {
  const now = Date.UTC(2026, 9, 21, 7, 26, 30)

  expect(judge({ status: 503, body: 'busy', retryAfter: header }, now)).toEqual({
    kind: 'transient',
    error: 'The receiver answered 503: busy',
    retryAfter
  })
})

describe('a refusal with a body over the limit', () => {
  afterEach(() => void vi.restoreAllMocks())

  it.each([
    [503, 'transient'],
    [404, 'permanent']
  ])('is judged by its status: %i is %s', async (status, kind) => {
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('x'.repeat(1_000_001), { status }))

    const sent = await post('https://slack.example/', {}, '', {
      allow: '',
      now: new Date(0),
      reads: true
    })

    expect(sent).toMatchObject({ kind, error: `The receiver answered ${status}.` })
  })

  it('keeps its Retry-After', async () => {
    const headers = { 'Retry-After': '900' }
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(
      new Response('x'.repeat(1_000_001), { status: 429, headers })
    )

    const sent = await post('https://slack.example/', {}, '', {
      allow: '',
      now: new Date(0),
      reads: true
    })

    expect(sent).toMatchObject({ kind: 'transient', retryAfter: 900 })
  })
})

it('lists at most ten numbers of a trend, and reports that all values are zero', () => {
  const settings = { timezone: 'Europe/Berlin', weekStart: 1, testAccountFilters: [] }
  const query = readTrend(
    { events: [{ id: 'a' }], date_from: '2026-10-25', date_to: '2026-10-26' },
    settings,
    new Date(0)
  )
  if (!query) {
    throw new Error('The request has no series.')
  }
  const series = (
    value: number,
    compare_label: 'current' | 'previous',
    label = 'x'.repeat(300)
  ) => ({
    action: null,
    label,
    count: 0,
    data: [],
    labels: [],
    days: [],
    aggregated_value: value,
    compare_label,
    filter: {}
  })
  const many = Array.from({ length: 12 }, (_, n) => [
    series(n, 'current'),
    series(1, 'previous')
  ]).flat()

  const figures = figuresOfTrend('A', query, many, 'Europe/Berlin')

  expect(figures).toMatchObject({ name: 'A', range: '25 – 26 Oct 2026', more: 2 })
  expect('lines' in figures && figures.lines[0]).toEqual({
    label: `${'x'.repeat(199)}…`,
    series: `${'x'.repeat(199)}…`,
    value: 0,
    previous: 1
  })
  expect('lines' in figures && figures.lines.length).toBe(10)
  expect(figuresOfTrend('A', query, [series(0, 'current'), series(0, 'previous')], 'UTC')).toEqual({
    name: 'A',
    failure: 'Nothing to report for 24 – 26 Oct 2026: all values are zero.'
  })
})

/** The largest figures of one insight. */
const WIDE: Figures = {
  name: '&'.repeat(400),
  range: '16 – 22 Nov 2026',
  from: null,
  until: 0,
  more: 15,
  lines: Array.from({ length: 10 }, () => ({
    label: '<'.repeat(201),
    series: '<'.repeat(201),
    value: 123_456_789.12,
    previous: 987_654_321.98
  }))
}
const CONTENT: Content = {
  name: '&'.repeat(400),
  project: '&'.repeat(200),
  at: 0,
  timezone: 'America/Argentina/ComodRivadavia',
  parts: Array.from({ length: 11 }, (_, insight) => ({ ...WIDE, insight })),
  more: 90
}
const DIGEST: Digest = {
  subscriptionId: 1,
  deliveryId: 2,
  isTest: true,
  occurrence: 0,
  missed: 3,
  summary: 'sent every day',
  next: 0,
  invite: '&'.repeat(10_000),
  content: CONTENT,
  page: `https://analytics.example.com/reports/${'x'.repeat(100)}`,
  charts: new Map([[1, `https://analytics.example.com/${'x'.repeat(200)}`]]),
  alert: null
}
const PAINTED: Painted = {
  insight: 1,
  content: 'x'.repeat(200_000),
  counted: 'by day',
  names: [],
  alt: '1, 2'
}
const ADDRESSEE = {
  to: 'ada@example.com',
  unsubscribe: 'https://analytics.example.com/unsubscribe/1.2.3'
}

describe('the largest delivery', () => {
  it('stays within Slack’s limits', () => {
    const { text, blocks } = toBlocks(DIGEST)

    expect(blocks.length).toBeLessThanOrEqual(50)
    expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(13_000)
    expect(text.length).toBeLessThanOrEqual(3_000)
    expect(blocks.filter((block) => 'alt_text' in block)).toHaveLength(1)
    for (const block of blocks) {
      if ('alt_text' in block) {
        expect(block.alt_text.length).toBeLessThanOrEqual(2_000)
        continue
      }
      const texts = 'text' in block ? [block.text] : block.elements
      const most = block.type === 'header' ? 150 : 3_000
      for (const { text } of texts) {
        expect(text.length).toBeLessThanOrEqual(most)
      }
    }
  })

  it.each(['', 'x'])('is cut between characters, not in them: %j', (before) => {
    const [header] = toBlocks({
      ...DIGEST,
      content: { ...CONTENT, name: before + '😀'.repeat(200) }
    }).blocks

    const text = header && 'text' in header ? header.text.text : ''
    expect([text.isWellFormed(), text.length > 147]).toEqual([true, true])
  })

  it('stays within the limits of a webhook and an e-mail', () => {
    expect(byteLength(JSON.stringify(toPayload(DIGEST)))).toBeLessThan(1_000_000)
    const { html, text, attachments } = toEmail(DIGEST, PAINTED, ADDRESSEE)
    expect(byteLength(html + text)).toBeLessThan(1_000_000)
    expect(byteLength(JSON.stringify(attachments))).toBeLessThan(4_000_000)
  })
})

describe('numbers beside names from right to left', () => {
  const name = 'תל אביב 2026'
  const isolated = `\u2068${name}\u2069`
  const lines = [12, 4].map((value) => ({ label: name, series: name, value, previous: 8 }))
  const digest = {
    ...DIGEST,
    content: { ...CONTENT, project: name, parts: [{ ...WIDE, name, insight: 1, lines, more: 0 }] }
  }

  it('keep their places in Slack', () => {
    const { blocks } = toBlocks(digest)
    const text = JSON.stringify(blocks)

    expect(text).toContain(`• ${isolated}: *12*`)
    expect(text).toContain(`Chart of ${isolated}`)
    expect(text).toContain(`*${isolated}*`)
  })

  it('keep their places in an e-mail, as text and as HTML', () => {
    const { text, html } = toEmail(digest, PAINTED, ADDRESSEE)

    expect(text).toContain(`${isolated} (16 – 22 Nov 2026)\n  ${isolated}: 12 (+50.0% from 8)`)
    expect(html.replaceAll(`<bdi>${name}</bdi>`, '')).not.toContain(name)
  })

  it('keep their places beside the subject of an e-mail, and in its legend', () => {
    const [first] = lines
    const parts = [{ ...WIDE, name, insight: 1, more: 0, lines: first ? [first] : [] }]
    const { html } = toEmail(
      { ...digest, content: { ...digest.content, parts } },
      { ...PAINTED, names: [{ name, color: '#2b59d9' }] },
      ADDRESSEE
    )

    expect(html).toContain(`>${isolated}: 12, +50.0% from 8<`)
    expect(html).toContain(`background:#2b59d9"></span><bdi>${name}</bdi>`)
  })

  it('keep their places in notes', () => {
    const { html } = toEmail({ ...digest, invite: `${name}!\nHello.` }, PAINTED, ADDRESSEE)

    expect(html).toContain(`<div dir="auto">${name}!</div>\n<div dir="auto">Hello.</div>`)
    expect(html).toContain('<div dir="auto">This is a test delivery, outside the schedule.</div>')
  })
})

describe('a message about many insights is short', () => {
  const parts = Array.from({ length: 11 }, (_, i) => ({
    ...WIDE,
    name: `Insight ${i}.`,
    insight: i + 1,
    more: 0,
    lines: WIDE.lines.slice(0, i % 2 === 0 ? 1 : 4)
  }))
  const digest = { ...DIGEST, content: { ...CONTENT, parts } }

  it('as HTML: three numbers, one chart, and a line for each other', () => {
    const { html } = toEmail(digest, PAINTED, ADDRESSEE)

    expect(html.match(/font-size:24px/g)).toHaveLength(3)
    expect(html.match(/<img/g)).toHaveLength(1)
    expect(parts.filter(({ name }) => html.includes(`<bdi>${name}</bdi>`))).toHaveLength(11)
    expect(html.match(/Open the charts/g)).toHaveLength(1)
  })

  it('as text: a number of each, and the address of one chart', () => {
    const { text } = toEmail(digest, PAINTED, ADDRESSEE)

    expect(text.match(/: 123,456,789.12 /g)).toHaveLength(11)
    expect(text.match(/…and 3 more/g)).toHaveLength(5)
    expect(text.match(/Chart: /g)).toHaveLength(1)
  })

  it('in Slack: a line for each, one chart and a link', () => {
    const { blocks } = toBlocks({ ...digest, isTest: false, missed: 0, invite: null })

    expect(blocks.map(({ type }) => type)).toEqual([
      'header',
      'section',
      'image',
      'section',
      'context'
    ])
    const [, numbers] = blocks
    const lines = numbers && 'text' in numbers ? numbers.text.text.split('\n') : []
    expect(lines).toHaveLength(12)
    expect(lines.slice(0, 3)).toEqual([
      '16 – 22 Nov 2026',
      '• Insight 0.: *123,456,789.12*  ▼ −87.5%',
      `• Insight 1. · ${'&lt;'.repeat(29)}…: *123,456,789.12*  ▼ −87.5%`
    ])
  })
})

describe('a message about a few insights', () => {
  const line = (label: string, value: number) => ({ label, series: label, value, previous: 8 })
  const countries = {
    ...WIDE,
    name: 'By country',
    insight: 2,
    more: 0,
    lines: ['Germany', 'Japan', 'Chile', 'Peru', 'Kenya', 'Fiji'].map((name) => line(name, 8))
  }
  const signups = { ...WIDE, name: 'Sign-ups', insight: 1, more: 0, lines: [line('signed up', 12)] }
  const messageOf = (parts: Content['parts'], name = 'Weekly') => {
    const digest = { ...DIGEST, isTest: false, missed: 0, invite: null }
    const { text, blocks } = toBlocks({ ...digest, content: { ...CONTENT, name, parts, more: 0 } })
    const sections = blocks.flatMap((block) =>
      block.type === 'section' && 'text' in block ? [block.text.text] : []
    )
    return { text, sections: sections.slice(0, -1) }
  }

  it('lists five lines of one insight in Slack', () => {
    expect(messageOf([signups, countries])).toEqual({
      text: 'Weekly\n16 – 22 Nov 2026\n• Sign-ups: *12*  ▲ +50.0%\n…',
      sections: [
        '16 – 22 Nov 2026\n• Sign-ups: *12*  ▲ +50.0%',
        '*By country*\n• Germany: *8*  no change\n• Japan: *8*  no change\n• Chile: *8*  no change\n• Peru: *8*  no change\n• Kenya: *8*  no change\n…and 1 more'
      ]
    })
  })

  it('does not repeat its title in Slack', () => {
    expect(messageOf([countries], 'By country').sections).toEqual([
      '16 – 22 Nov 2026\n• Germany: *8*  no change\n• Japan: *8*  no change\n• Chile: *8*  no change\n• Peru: *8*  no change\n• Kenya: *8*  no change\n…and 1 more'
    ])
    expect(messageOf([signups], 'Sign-ups').sections).toEqual([
      '16 – 22 Nov 2026\n• signed up: *12*  ▲ +50.0%'
    ])
    expect(messageOf([{ name: 'Gone', failure: 'Deleted.' }], 'Gone').sections).toEqual([
      'Deleted.'
    ])
  })

  it('says the period of most insights once, and any other period beside its insight', () => {
    const parts = [
      { ...countries, range: '1 – 30 Nov 2026' },
      { ...signups, name: 'Visits', range: '23 Nov 2026' },
      signups,
      { ...signups, name: 'Orders' }
    ]

    expect(messageOf(parts).sections).toEqual([
      '16 – 22 Nov 2026\n• Visits (23 Nov 2026): *12*  ▲ +50.0%\n• Sign-ups: *12*  ▲ +50.0%\n• Orders: *12*  ▲ +50.0%',
      expect.stringMatching(/^\*By country\* · 1 – 30 Nov 2026\n• Germany/)
    ])
    const { html } = toEmail({ ...DIGEST, content: { ...CONTENT, parts } }, PAINTED, ADDRESSEE)
    expect(html.match(/1 – 30 Nov 2026|23 Nov 2026|16 – 22 Nov 2026/g)).toEqual([
      '16 – 22 Nov 2026',
      '23 Nov 2026',
      '1 – 30 Nov 2026'
    ])
  })

  it('does not notify a channel that a name mentions in Slack', () => {
    const name = '<!here> @channel'
    const { blocks } = toBlocks({
      ...DIGEST,
      content: { ...CONTENT, parts: [{ ...signups, name }] }
    })
    const texts = blocks.flatMap((block) => {
      const own = 'text' in block ? [block.text] : []
      return 'elements' in block ? block.elements : own
    })

    const marked = texts.filter(({ type }) => type === 'mrkdwn')
    expect(marked.length).toBeGreaterThan(2)
    for (const text of marked) {
      expect(text).toMatchObject({ verbatim: true, text: expect.not.stringContaining('<!') })
    }
  })
})

it('puts nothing into an e-mail that a browser would run', () => {
  const evil = '"><script>alert(1)</script>'
  const content = {
    ...CONTENT,
    name: evil,
    project: evil,
    parts: [
      { name: evil, failure: evil },
      { ...WIDE, name: evil, insight: 1 },
      { ...WIDE, name: evil, insight: 2 }
    ]
  }
  const charts = new Map([1, 2].map((insight) => [insight, evil]))
  const { html } = toEmail(
    { ...DIGEST, invite: evil, content, charts, page: evil },
    { ...PAINTED, counted: evil, names: [{ name: evil, color: '#000000' }], alt: evil },
    { to: evil, unsubscribe: `https://x/"onclick="` }
  )

  expect(html).not.toContain('<script')
  expect(html).not.toContain('"onclick')
  expect(toNotice({ title: evil, url: evil, noun: 'alert' }, evil).html).not.toContain('<script')
})

it('signs like the example of Standard Webhooks', async () => {
  const signature = await sign(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
  )

  expect(Buffer.from(signature).toString('base64')).toBe(
    'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  )
})
