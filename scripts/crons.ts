import { Cron } from 'croner'
import { z } from 'zod'
import { OperatorError } from './local.ts'

const MINUTE = 60_000
/** Runs that are under way when it ends get this long. */
const LAST_RUNS_MS = 20_000

/**
 * Whether an expression of a Cron Trigger means the minute that begins then, as Cloudflare reads it: five fields, in UTC,
 * the days of a week from 1, Sunday, to 7, or by their names.
 * @throws for an expression that is none
 */
export function readCron(expression: string): (minute: Date) => boolean {
  const rule = new Cron(expression, {
    timezone: 'UTC',
    mode: '5-part',
    alternativeWeekdays: true,
    paused: true
  })
  return (minute) => rule.match(minute)
}

/**
 * Fires Cron Triggers at their minutes, ms UTC. A minute that comes while the last run of the same expression is not yet
 * done is left out, as is one that the machine slept through.
 * @param run fails with what the operator is to read
 */
export function startCrons(crons: string[], run: (cron: string, minute: number) => Promise<void>) {
  const rules = crons.map((cron) => ({ cron, means: readCron(cron) }))
  const running = new Map<string, Promise<void>>()
  const begin = (cron: string, minute: number) =>
    run(cron, minute)
      .catch((error) => console.error(error instanceof OperatorError ? error.message : error))
      .finally(() => running.delete(cron))

  const minuteOf = (time: number) => time - (time % MINUTE)
  let next = minuteOf(Date.now()) + MINUTE
  let timer = setTimeout(tick, next - Date.now())
  function tick() {
    const minute = minuteOf(Date.now())
    // A timer may go off a little early.
    if (minute >= next) {
      next = minute + MINUTE
      const due = rules.filter(({ cron, means }) => !running.has(cron) && means(new Date(minute)))
      for (const { cron } of due) {
        running.set(cron, begin(cron, minute))
      }
    }
    timer = setTimeout(tick, next - Date.now())
  }

  return {
    /** Fires no more, and waits for what is under way, but not for ever. */
    async stop(): Promise<void> {
      clearTimeout(timer)
      const late = new Promise((done) => setTimeout(done, LAST_RUNS_MS).unref())
      await Promise.race([Promise.all(running.values()), late])
    }
  }
}

const Answer = z.object({ outcome: z.string() })

/**
 * Has a local service do what a Cron Trigger asks for.
 * @param url of the worker itself
 * @throws OperatorError when it does not come to a good end
 */
export async function runCron(url: string, cron: string, minute: number): Promise<void> {
  const query = new URLSearchParams({ cron, time: String(minute), format: 'json' })
  const failed = (why: unknown) => new OperatorError(`The cron "${cron}" failed: ${why}`)
  const response = await fetch(`${url}/cdn-cgi/handler/scheduled?${query}`).catch((error) => {
    throw failed(error.cause ?? error)
  })
  const text = await response.text()
  const answer = response.ok ? Answer.safeParse(JSON.parse(text)) : undefined
  if (answer?.data?.outcome !== 'ok') {
    throw failed(`${response.status} ${text}`)
  }
}
