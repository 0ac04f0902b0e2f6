import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { newStage, send, untilPersons } from '../../support/pages.ts'
import { blocksOf, commandsOf } from '../../support/printed.ts'
import { newStateDir } from '../../support/processes.ts'

const root = join(import.meta.dirname, '../../..')

type Stage = Awaited<ReturnType<typeof newStage>>

/** Returns noon of a day, ISO 8601. */
const noon = (daysAgo: number) =>
  `${new Date(Date.now() - daysAgo * DAY).toISOString().slice(0, 'YYYY-MM-DD'.length)}T12:00:00Z`

const view = (distinct_id: string, session: string, timestamp: string) => ({
  event: '$pageview',
  distinct_id,
  timestamp,
  properties: { $session_id: session, $pathname: '/' }
})

/** Stores what the examples of docs/questions.md are about. */
async function tellQuestions(stage: Stage) {
  const on = (time: string) => `2026-${time}Z`
  const beside = (event: string, distinct_id: string, session: string, timestamp: string) => ({
    ...view(distinct_id, session, timestamp),
    event
  })
  const recent = (event: string, distinct_id: string, daysAgo: number) => ({
    event,
    distinct_id,
    timestamp: noon(daysAgo)
  })
  const plan = (distinct_id: string, value: string) => ({
    event: '$set',
    distinct_id,
    properties: { $set: { plan: value, email: `${distinct_id}@example.com` } }
  })
  await send(
    stage.token,
    view('ada', 's1', on('03-01T10:00:00')),
    view('bo', 's2', on('03-02T10:00:00')),
    beside('$pageleave', 'bo', 's2', on('03-02T10:00:12')),
    view('ada', 's3', on('03-03T10:00:00')),
    beside('$autocapture', 'ada', 's3', on('03-03T10:00:03')),
    view('cy', 's4', on('02-28T23:59:00')),
    view('cy', 's4', on('03-01T00:01:00')),
    view('ada', 's5', noon(1)),
    view('bo', 's6', noon(1)),
    recent('signup', 'ada', 3),
    recent('signup', 'bob', 3),
    recent('pay', 'ada', 2),
    plan('ada', 'pro'),
    plan('bob', 'free'),
    plan('cleo', 'pro'),
    recent('report opened', 'ada', 10),
    recent('report opened', 'ada', 2),
    recent('report opened', 'bob', 1)
  )
  await untilPersons(stage, 5)
}

/** Stores the sign-ups of docs/alerts.md. */
async function tellAlerts(stage: Stage) {
  const perDay = [7, 7, 7, 7, 8, 20]
  const signUps = perDay.flatMap((count, day) =>
    Array.from({ length: count }, () => ({
      event: 'signed up',
      distinct_id: 'ada',
      timestamp: noon(day + 1)
    }))
  )
  await send(stage.token, ...signUps)
  await untilPersons(stage, 1)
}

/** Runs the commands of a guide, and expects that each answers as the guide prints. */
function follow(guide: string, { url, key }: Stage): void {
  const cwd = newStateDir()
  writeFileSync(join(cwd, 'testers.csv'), 'email\nada@example.com\nnobody@example.com\n')
  const env = { ...process.env, URL: url, KEY: key }
  // Each command runs in a shell of its own, with the variables that were set before it.
  const variables: string[] = []
  const ids: string[] = []
  const text = readFileSync(join(root, `docs/${guide}.md`), 'utf8')
  for (const { command, answer } of blocksOf(text).flatMap(commandsOf)) {
    const local = command
      .replaceAll('http://127.0.0.1:8787', url)
      // The id of the insight is the first one that is printed, that of the alert the last one.
      .replace('"insight":1', `"insight":${ids[0]}`)
      .replace('alerts/…/', `alerts/${ids.at(-1)}/`)
    if (/^[A-Z]+=/.test(local)) {
      variables.push(local)
      continue
    }
    const script = [...variables, local].join('\n')
    const run = spawnSync('bash', ['-c', script], { cwd, env, encoding: 'utf8' })
    expect(run.status, `${command}\n${run.stderr}`).toBe(0)
    // An id is the next number of the whole service.
    const printed = run.stdout.replace(/^\{"id":\d+,/, '{"id":1,')
    expect(printed, command).toMatch(answer)
    const { id } = JSON.parse(run.stdout)
    if (id !== undefined) {
      ids.push(String(id))
    }
  }
}

it.each([
  ['questions', tellQuestions],
  ['alerts', tellAlerts]
])('the commands of docs/%s.md answer as printed', async (guide, tell) => {
  const stage = await newStage()
  await tell(stage)

  follow(guide, stage)
})
