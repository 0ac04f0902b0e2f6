import { afterEach, describe, expect, it, vi } from 'vitest'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { holdErasures } from '../../support/erasures.ts'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'

const PAGE = { Accept: 'text/html,application/xhtml+xml' }
const FILTERS = { events: [{ id: 'signed up' }], date_from: '-6d' }

afterEach(() => {
  vi.useRealTimers()
})

/** Creates a project with three sign-ups today, and an insight that counts them, on a dashboard. */
async function newBoard(more: object = {}) {
  const project = await newProject()
  await project.ingest(
    ['ada', 'bob', 'eve'].map((distinct_id) => ({
      event: 'signed up',
      distinct_id,
      properties: { $set: { email: `${distinct_id}@example.com` } }
    }))
  )
  const dashboard = (
    await project.send('POST', 'dashboards/', { name: 'Weekly', description: 'For all of us' })
  ).body
  const insight = (
    await project.send('POST', 'insights/', {
      name: 'Sign-ups <b>',
      filters: { ...FILTERS, ...more },
      dashboards: [dashboard.id]
    })
  ).body
  return { project, insight, dashboard }
}

const share = (project: TestProject, path: string, enabled = true) =>
  project.send('PATCH', `${path}/sharing/`, { enabled })

const open = (token: string, headers: Record<string, string> = {}) =>
  request('GET', `/shared/${token}`, headers)

describe.each(['insights', 'dashboards'] as const)('sharing one of the %s', (kind) => {
  const pathOf = ({ insight, dashboard }: Awaited<ReturnType<typeof newBoard>>) =>
    `${kind}/${kind === 'insights' ? insight.id : dashboard.id}`

  it('is off until it is turned on, and then shows the chart to anyone with the link', async () => {
    // Otherwise the day of the sign-ups could end before the chart is drawn.
    vi.useFakeTimers({ toFake: ['Date'] })
    const board = await newBoard()
    const { project } = board
    const path = pathOf(board)

    expect((await project.send('GET', `${path}/sharing/`)).body).toEqual({
      created_at: null,
      enabled: false,
      access_token: null,
      url: null
    })
    const { status, body } = await share(project, path)
    expect([status, body.enabled]).toEqual([200, true])
    expect(new URL(body.url).pathname).toBe(`/shared/${body.access_token}`)
    expect((await project.send('GET', `${path}/sharing/`)).body).toEqual(body)

    const shown = await open(body.access_token)
    expect(shown.body).toMatchObject({
      title: kind === 'insights' ? 'Sign-ups <b>' : 'Weekly',
      timezone: 'UTC',
      tiles: [{ title: 'Sign-ups <b>', failure: null, chart: { kind: 'line' } }]
    })
    expect(shown.body.tiles[0].chart.series[0].data.at(-1)).toBe(3)
    expect(shown.text).not.toMatch(/example\.com|created_by|filters/)

    const page = await open(body.access_token, PAGE)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Sign-ups &lt;b&gt;')
    expect(page.text).toContain('<td>3</td>')
    expect(page.text).not.toContain('Sign-ups <b>')
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    expect(page.headers.get('X-Robots-Tag')).toBe('noindex')
    expect(page.headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(page.headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; style-src 'nonce-[^']+'; img-src data:; base-uri 'none'; form-action 'none';/
    )
  })

  it('ends at once if it is turned off, gets a new token, or its insight or dashboard is deleted', async () => {
    const board = await newBoard()
    const { project } = board
    const path = pathOf(board)
    const { access_token: first } = (await share(project, path)).body

    const second = (await project.send('POST', `${path}/sharing/refresh/`)).body.access_token
    expect([(await open(first)).status, (await open(second)).status]).toEqual([404, 200])

    await share(project, path, false)
    expect((await open(second)).status).toBe(404)
    expect((await open(second, PAGE)).text).toContain('This link does not work')

    expect((await share(project, path)).body.access_token).toBe(second)
    expect((await open(second)).status).toBe(200)
    await project.send('DELETE', `${path}/`)
    expect((await open(second)).status).toBe(404)
    expect((await share(project, path)).status).toBe(404)
  })

  it('has one token, however many requests turn it on at once', async () => {
    const board = await newBoard()
    const path = pathOf(board)

    const answers = await Promise.all(Array.from({ length: 5 }, () => share(board.project, path)))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1)
  })

  it('cannot be reached through another project', async () => {
    const board = await newBoard()
    const stranger = await newProject()
    const path = pathOf(board)

    expect((await share(stranger, path)).status).toBe(404)
    expect((await stranger.send('GET', `${path}/sharing/`)).status).toBe(404)
    const { access_token: token } = (await share(board.project, path)).body
    const foreign = token.replace(/^\d+/, String(stranger.id))
    expect((await open(foreign)).status).toBe(404)
  })

  it.each(['password', 'expires_at'])('refuses %s, which links do not have', async (field) => {
    const board = await newBoard()

    const { status, body } = await board.project.send('PATCH', `${pathOf(board)}/sharing/`, {
      enabled: true,
      [field]: '2026-12-01'
    })

    expect([status, body.attr]).toEqual([400, field])
  })
})

describe('an embedded page', () => {
  const embed = (token: string) => request('GET', `/embedded/${token}`, PAGE)

  it('shows the charts of a shared dashboard without a header, in a frame of any site', async () => {
    const { project, dashboard } = await newBoard()
    const { access_token } = (await share(project, `dashboards/${dashboard.id}`)).body

    const { status, headers, text } = await embed(access_token)
    const shared = await open(access_token, PAGE)

    expect([status, headers.get('X-Frame-Options')]).toEqual([200, null])
    expect(headers.get('Content-Security-Policy')).toMatch(/; frame-ancestors \*$/)
    expect(text).toContain('Sign-ups &lt;b&gt;')
    expect([text.includes('<h1>'), text.includes('<footer>')]).toEqual([false, false])
    expect([shared.text.includes('<h1>'), shared.text.includes('<footer>')]).toEqual([true, true])
    expect(shared.headers.get('X-Frame-Options')).toBe('DENY')
    expect(shared.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
  })

  it('says in the frame that a link does not work, as that of a recording', async () => {
    const { project, insight } = await newBoard()
    const { access_token } = (await share(project, `insights/${insight.id}`)).body
    await share(project, `insights/${insight.id}`, false)
    const stage = await newStage()
    await stage.record(snapshotEvent(stage.project))
    const recording = (await share(stage.project, 'session_recordings/session')).body

    for (const token of [access_token, recording.access_token]) {
      const { status, headers, text } = await embed(token)
      expect([status, text.includes('This link does not work')]).toEqual([404, true])
      expect(headers.get('Content-Security-Policy')).toContain('frame-ancestors *')
    }
  })
})

describe('a shared page', () => {
  it('has the title of its only insight once, isolated', async () => {
    const { project, insight } = await newBoard()
    const { access_token } = (await share(project, `insights/${insight.id}`)).body

    const { text } = await open(access_token, PAGE)
    const [body = ''] = /<main[\s\S]*<\/main>/.exec(text) ?? []

    expect(
      body.replaceAll(/<title[\s\S]*?<\/title>/g, '').match(/Sign-ups &lt;b&gt;/g)
    ).toHaveLength(1)
    expect(body).toContain('<h1><bdi>Sign-ups &lt;b&gt;</bdi></h1>')
    expect(body).toContain('signed up, events by day')
  })

  it('says that an event does not exist', async () => {
    const { project, insight } = await newBoard({ events: [{ id: 'signed_up' }] })
    const { access_token } = (await share(project, `insights/${insight.id}`)).body
    const warning = 'No event is called “signed_up”. Did you mean “signed up”?'

    expect((await open(access_token)).body.tiles[0].chart.warning).toBe(warning)
    expect((await open(access_token, PAGE)).text).toContain(`>${warning}</text>`)
  })

  it('shows why an insight has no chart, and draws the others', async () => {
    const { project, dashboard } = await newBoard()
    await project.send('POST', 'insights/', { name: 'Nothing', dashboards: [dashboard.id] })
    const { access_token } = (await share(project, `dashboards/${dashboard.id}`)).body

    const { body } = await open(access_token)
    const { text } = await open(access_token, PAGE)

    expect(body.tiles.map(({ failure }: { failure: string | null }) => failure)).toEqual([
      null,
      'This insight has no series yet.'
    ])
    expect(text).toContain('This insight has no series yet.')
  })

  it('shows at most ten insights of a dashboard, and how many are left out', async () => {
    const { project, dashboard } = await newBoard()
    for (let i = 0; i < 11; i += 1) {
      await project.send('POST', 'insights/', { name: `No ${i}`, dashboards: [dashboard.id] })
    }
    const { access_token } = (await share(project, `dashboards/${dashboard.id}`)).body

    expect((await open(access_token)).body.tiles).toHaveLength(10)
    expect((await open(access_token, PAGE)).text).toContain('2 more insights are not drawn')
  })

  it('lists the numbers of a chart without a time axis, and of the period before', async () => {
    const { project, insight } = await newBoard({ display: 'ActionsTable', compare: true })
    const { access_token } = (await share(project, `insights/${insight.id}`)).body

    const { text } = await open(access_token, PAGE)

    expect(text).toContain('<th scope="col"><bdi>before</bdi></th>')
    expect(text).toContain('<td>3</td><td>0</td>')
  })

  it('says so if there are too many numbers to list', async () => {
    const { project, insight } = await newBoard({
      interval: 'hour',
      date_from: '-90d',
      breakdown: 'email',
      breakdown_type: 'person'
    })
    const { access_token } = (await share(project, `insights/${insight.id}`)).body

    const { text } = await open(access_token, PAGE)

    expect(text).toContain('There are too many numbers to list.')
  })

  it('links to its numbers as CSV', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') })
    const { project, dashboard } = await newBoard({ date_from: '-1d', compare: true })
    for (const more of [
      { name: '=1+1', filters: { ...FILTERS, display: 'BoldNumber' } },
      { name: 'Nothing' }
    ]) {
      await project.send('POST', 'insights/', { ...more, dashboards: [dashboard.id] })
    }
    const { access_token } = (await share(project, `dashboards/${dashboard.id}`)).body
    const page = await open(access_token, PAGE)
    const [, link = ''] = /<a href="([^"]+)">Numbers as CSV<\/a>/.exec(page.text) ?? []

    const { status, headers, text, bytes } = await open(
      `${access_token}${link.replaceAll('&amp;', '&')}`,
      PAGE
    )

    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="numbers.csv"')
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(text.split('\r\n')).toEqual([
      'insight,series,day,value,previous,failure',
      'Sign-ups <b>,signed up,2026-11-19,0,0,',
      'Sign-ups <b>,signed up,2026-11-20,3,0,',
      "'=1+1,signed up,,3,,",
      'Nothing,,,,,This insight has no series yet.',
      ''
    ])
  })

  it('sends CSV to whom a header asks for it, without columns that are empty', async () => {
    const { project, insight } = await newBoard({ display: 'BoldNumber' })
    const { access_token } = (await share(project, `insights/${insight.id}`)).body

    const { text } = await open(access_token, { Accept: 'text/csv' })
    expect(text).toBe('insight,series,day,value\r\nSign-ups <b>,signed up,,3\r\n')
    expect((await open(`${access_token}?bom=true`)).body.attr).toBe('bom')
    expect((await open(`${access_token}?format=xml`)).body.attr).toBe('format')
  })

  it('has no CSV if it shows a recording', async () => {
    const stage = await newStage()
    await stage.record(snapshotEvent(stage.project))
    const { access_token } = (await share(stage.project, 'session_recordings/session')).body

    for (const [query, attr] of [
      ['format=csv', 'format'],
      ['bom=true', 'bom']
    ]) {
      const { status, body } = await open(`${access_token}?${query}`)
      expect([status, body.attr]).toEqual([400, attr])
    }
  })

  it('no longer shows a person whose data was erased', async () => {
    const { project, insight } = await newBoard({ breakdown: 'email', breakdown_type: 'person' })
    const { access_token } = (await share(project, `insights/${insight.id}`)).body
    expect((await open(access_token)).text).toContain('ada@example.com')
    const { call, drain, cron } = holdErasures()

    await call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: ['ada'],
      delete_events: true
    })
    await drain()
    await cron(WEEKLY)
    await drain()

    const after = await open(access_token)
    expect(after.text).not.toContain('ada@example.com')
    expect(after.text).toContain('bob@example.com')
  })
})
