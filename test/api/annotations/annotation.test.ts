import { describe, expect, it } from 'vitest'
import { updateProject } from '../../../src/access/store.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'

const AT = '2026-03-02T09:00:00Z'

async function newProjectIn(timezone: string): Promise<TestProject> {
  const project = await newProject()
  await updateProject(db, project.id, { timezone })
  return project
}

const create = async (project: TestProject, body: object) => {
  const answer = await project.send('POST', 'annotations/', body)
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return answer.body
}

const contentsOf = async (project: TestProject, query = ''): Promise<string[]> =>
  (await project.call('GET', `annotations/${query}`)).body.results.map(
    ({ content }: { content: string }) => content
  )

describe('an annotation', () => {
  it('is stored for the project, for an insight or for a dashboard', async () => {
    const project = await newProjectIn('Europe/Berlin')
    const insight = (await project.send('POST', 'insights/', { name: 'Sign-ups' })).body
    const dashboard = (await project.send('POST', 'dashboards/', { name: 'Weekly' })).body

    const released = await create(project, {
      content: 'v2.1 released',
      date_marker: AT,
      scope: 'project'
    })
    // A time without an offset is on the clock of the project.
    const local = await create(project, {
      content: 'Price up',
      date_marker: '2026-03-03T09:00:00',
      dashboard_item: insight.id
    })
    const onBoard = await create(project, {
      scope: 'dashboard',
      dashboard_id: dashboard.id,
      creation_type: 'GIT'
    })

    expect(released).toMatchObject({
      content: 'v2.1 released',
      date_marker: AT,
      scope: 'project',
      creation_type: 'USR',
      dashboard_item: null,
      deleted: false,
      is_emoji: false,
      created_by: { id: project.user.id }
    })
    expect(local).toMatchObject({
      date_marker: '2026-03-03T08:00:00Z',
      scope: 'dashboard_item',
      dashboard_item: insight.id,
      insight_short_id: insight.short_id,
      insight_name: 'Sign-ups'
    })
    expect(onBoard).toMatchObject({
      content: null,
      date_marker: null,
      dashboard_name: 'Weekly',
      creation_type: 'GIT'
    })
    const { body } = await project.call('GET', 'annotations/')
    expect(body).toEqual({
      count: 3,
      next: null,
      previous: null,
      results: [local, released, onBoard]
    })
    expect((await project.call('GET', `annotations/${local.id}/`)).body).toEqual(local)
  })

  it('is changed, deleted and restored by PATCH only', async () => {
    const project = await newProject()
    const made = await create(project, { content: 'A', date_marker: AT, scope: 'project' })
    const path = `annotations/${made.id}/`

    // A client may send the whole object back.
    const renamed = await project.send('PATCH', path, { ...made, content: 'B' })
    const deleted = await project.send('PATCH', path, { deleted: true })

    expect(renamed.body).toMatchObject({ content: 'B', date_marker: AT })
    expect([deleted.status, deleted.body.deleted]).toEqual([200, true])
    expect((await project.call('GET', path)).status).toBe(404)
    expect(await contentsOf(project)).toEqual([])
    await project.send('PATCH', path, { deleted: false })
    expect(await contentsOf(project)).toEqual(['B'])
    const destroyed = await project.call('DELETE', path)
    expect([destroyed.status, destroyed.headers.get('Allow')]).toEqual([405, 'GET, PATCH, HEAD'])
  })

  it.each<[object, string, string]>([
    [{ content: 'x' }, 'required', 'dashboard_item'],
    [{ scope: 'dashboard' }, 'required', 'dashboard_id'],
    [{ scope: 'organization' }, 'invalid_choice', 'scope'],
    [{ scope: 'recording' }, 'invalid_choice', 'scope'],
    [{ dashboard_item: 999_999_999 }, 'does_not_exist', 'dashboard_item'],
    [{ scope: 'dashboard', dashboard_id: 999_999_999 }, 'does_not_exist', 'dashboard_id'],
    [{ scope: 'project', date_marker: 'tomorow' }, 'invalid_input', 'date_marker'],
    [{ scope: 'project', content: 'x'.repeat(8_193) }, 'max_length', 'content'],
    [{ scope: 'project', is_emoji: true, content: 'ok' }, 'invalid_input', 'content'],
    [{ scope: 'project', tags: ['a'] }, 'invalid_input', 'tags'],
    [
      { scope: 'project', hidden_in_user_interface: true },
      'invalid_input',
      'hidden_in_user_interface'
    ]
  ])('%j is refused as %s of %s', async (body, code, attr) => {
    const project = await newProject()

    const answer = await project.send('POST', 'annotations/', body)

    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, code, attr])
  })

  it('takes one emoji of several code points', async () => {
    const project = await newProject()

    const made = await create(project, { scope: 'project', is_emoji: true, content: '👩🏽‍🚀' })

    expect(made).toMatchObject({ content: '👩🏽‍🚀', is_emoji: true })
  })

  it('is of its project only', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const insight = (await other.send('POST', 'insights/', {})).body
    const { id } = await create(other, { content: 'theirs', scope: 'project' })

    const answer = await project.send('POST', 'annotations/', { dashboard_item: insight.id })

    expect([answer.status, answer.body.code]).toEqual([400, 'does_not_exist'])
    expect(await contentsOf(project)).toEqual([])
    expect((await project.call('GET', `annotations/${id}/`)).status).toBe(404)
    expect((await project.send('PATCH', `annotations/${id}/`, { content: 'mine' })).status).toBe(
      404
    )
    expect(await contentsOf(other)).toEqual(['theirs'])
  })

  it('is hidden while its insight or its dashboard is deleted', async () => {
    const project = await newProject()
    const insight = (await project.send('POST', 'insights/', {})).body
    const dashboard = (await project.send('POST', 'dashboards/', {})).body
    const own = await create(project, { content: 'insight', dashboard_item: insight.id })
    await create(project, { content: 'board', scope: 'dashboard', dashboard_id: dashboard.id })
    // Where it was made does not matter for an annotation on all insights.
    await create(project, { content: 'all', scope: 'project', dashboard_item: insight.id })

    await project.send('DELETE', `insights/${insight.id}/`)
    await project.send('DELETE', `dashboards/${dashboard.id}/`)

    expect(await contentsOf(project)).toEqual(['all'])
    expect((await project.call('GET', `annotations/${own.id}/`)).status).toBe(404)
    expect((await project.send('PATCH', `annotations/${own.id}/`, { content: 'x' })).status).toBe(
      200
    )
    await project.send('PATCH', `insights/${insight.id}/`, { deleted: false })
    expect(await contentsOf(project)).toEqual(['all', 'x'])
  })
})

describe('the list of annotations', () => {
  it('is filtered by text, scope, date and emoji, and has 1,000 on a page', async () => {
    const project = await newProjectIn('Europe/Berlin')
    const insight = (await project.send('POST', 'insights/', {})).body
    await create(project, { content: 'Launch', date_marker: '2026-03-01T12:00', scope: 'project' })
    await create(project, {
      content: 'Relaunch',
      date_marker: '2026-03-02T23:30',
      dashboard_item: insight.id
    })
    await create(project, {
      content: '🎉',
      date_marker: '2026-03-03',
      scope: 'project',
      is_emoji: true
    })
    await create(project, { content: 'Some day', scope: 'project' })

    expect(await contentsOf(project)).toEqual(['🎉', 'Relaunch', 'Launch', 'Some day'])
    expect(await contentsOf(project, '?search=LAUNCH')).toEqual(['Relaunch', 'Launch'])
    expect(await contentsOf(project, '?scope=insight')).toEqual(['Relaunch'])
    expect(await contentsOf(project, '?scope=dashboard_item')).toEqual(['Relaunch'])
    expect(await contentsOf(project, '?is_emoji=true')).toEqual(['🎉'])
    expect(await contentsOf(project, '?date_from=2026-03-02')).toEqual(['🎉', 'Relaunch'])
    // The whole day, on the clock of the project.
    expect(await contentsOf(project, '?date_to=2026-03-02')).toEqual(['Relaunch', 'Launch'])
    const { body } = await project.call('GET', 'annotations/?limit=1&offset=1')
    expect([body.count, body.results[0].content]).toEqual([4, 'Relaunch'])
    expect(new URL(body.next).searchParams.get('offset')).toBe('2')
    const wrong = await project.call('GET', 'annotations/?date_from=tomorow')
    expect([wrong.status, wrong.body.attr]).toEqual([400, 'date_from'])
    const unknown = await project.call('GET', 'annotations/?tags=a')
    expect([unknown.status, unknown.body.attr]).toEqual([400, 'tags'])
  })
})

describe('a chart', () => {
  const NOON = Date.parse('2026-11-03T12:00:00Z')

  /** Creates an insight over three days, on a dashboard, with an annotation of each scope. */
  async function newStage() {
    const project = await newProject()
    await project.ingest([{ event: 'sold', distinct_id: 'ada', timestamp: NOON }], NOON)
    const dashboard = (await project.send('POST', 'dashboards/', {})).body
    const query = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'sold' }],
      dateRange: { date_from: '2026-11-02', date_to: '2026-11-04' }
    }
    const [insight, other] = [
      (await project.send('POST', 'insights/', { query, dashboards: [dashboard.id] })).body,
      (await project.send('POST', 'insights/', { query })).body
    ]
    const mark = (content: string, day: string, rest: object) =>
      create(project, { content, date_marker: `2026-11-0${day}T15:00:00Z`, ...rest })
    await mark('For all', '2', { scope: 'project' })
    await mark('For this', '3', { dashboard_item: insight.id })
    await mark('On board', '4', { scope: 'dashboard', dashboard_id: dashboard.id })
    await mark('Too late', '5', { scope: 'project' })
    const deleted = await mark('Deleted', '2', { scope: 'project' })
    await project.send('PATCH', `annotations/${deleted.id}/`, { deleted: true })
    return { project, insight, other, dashboard }
  }

  /** Returns the names of annotations that an SVG shows above its lines. */
  const namesIn = (svg: string) =>
    ['For all', 'For this', 'On board', 'Too late', 'Deleted'].filter((name) =>
      svg.includes(`>${name}</text>`)
    )

  it('of an insight shows the annotations of the project and of the insight', async () => {
    const { project, insight, other, dashboard } = await newStage()
    const draw = async (path: string) => (await project.call('GET', path)).text

    const own = await draw(`insights/${insight.id}/chart.svg`)

    expect(namesIn(own)).toEqual(['For all', 'For this'])
    expect(own).toContain('sold: 0, 1, 0. 2 Nov: For all. 3 Nov: For this.</desc>')
    expect(namesIn(await draw(`insights/${other.id}/chart.svg`))).toEqual(['For all'])
    expect(namesIn(await draw(`dashboards/${dashboard.id}/chart.svg?width=900`))).toEqual([
      'For all',
      'For this',
      'On board'
    ])
  })

  it('on a shared page shows them, and lists them with the numbers', async () => {
    const { project, dashboard } = await newStage()
    const sharing = await project.send('PATCH', `dashboards/${dashboard.id}/sharing/`, {
      enabled: true
    })
    const url = `/shared/${sharing.body.access_token}`

    const page = await request('GET', url, { Accept: 'text/html' })
    const json = await request('GET', url, { Accept: 'application/json' })

    expect(namesIn(page.text)).toEqual(['For all', 'For this', 'On board'])
    expect(page.text).toContain('<td class="text"><bdi>For this</bdi></td>')
    expect(json.body.tiles[0].chart.annotations).toEqual([
      { bucket: 0, text: 'For all' },
      { bucket: 1, text: 'For this' },
      { bucket: 2, text: 'On board' }
    ])
  })

  it('shows an annotation in the bucket of the project’s clock', async () => {
    const project = await newProjectIn('Pacific/Auckland')
    await project.ingest([{ event: 'sold', distinct_id: 'ada', timestamp: NOON }], NOON)
    const query = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'sold' }],
      dateRange: { date_from: '2026-11-02', date_to: '2026-11-04' }
    }
    const insight = (await project.send('POST', 'insights/', { query })).body
    // Noon of November 2 in London is past midnight in Auckland.
    await create(project, {
      content: 'Day 3',
      date_marker: '2026-11-02T12:00:00Z',
      scope: 'project'
    })

    const { text } = await project.call('GET', `insights/${insight.id}/chart.svg`)

    expect(text).toContain('3 Nov: Day 3.')
  })
})
