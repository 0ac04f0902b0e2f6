import { Cron } from 'croner'
import { OperatorError } from './local.ts'

const MINUTE = 60_000

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
 * done is left out, as is one that the machine slept through. When the clock is set back, minutes come again.
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
  /** Until the next minute begins, or a timer that went off a little early has to wait again. */
  const untilNext = () => MINUTE - (Date.now() % MINUTE)
  let last = minuteOf(Date.now())
  let timer = setTimeout(tick, untilNext())
  function tick() {
    const minute = minuteOf(Date.now())
    if (minute !== last) {
      last = minute
      const due = rules.filter(({ cron, means }) => !running.has(cron) && means(new Date(minute)))
      for (const { cron } of due) {
        running.set(cron, begin(cron, minute))
      }
    }
    timer = setTimeout(tick, untilNext())
  }

  return {
    /** Fires no more, and waits for what is under way, at most so many ms. */
    async stop(ms: number): Promise<void> {
      clearTimeout(timer)
      const late = new Promise((done) => setTimeout(done, ms).unref())
      await Promise.race([Promise.all(running.values()), late])
    }
  }
}
