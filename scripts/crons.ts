import { Cron } from 'croner'
import { OperatorError } from './local.ts'

const MINUTE = 60_000

/**
 * Returns a test for the minutes that a Cron Trigger's expression matches, as Cloudflare reads it: five fields, in UTC,
 * weekdays by name or from 1 (Sunday) to 7.
 * @throws for an invalid expression
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
 * Fires Cron Triggers at their minutes, ms UTC. A minute is skipped while the previous run of the same expression is still in
 * progress, and when the machine slept through it. When the clock is set back, minutes repeat.
 * @param run rejects with an error to print
 */
export function startCrons(crons: string[], run: (cron: string, minute: number) => Promise<void>) {
  const rules = crons.map((cron) => ({ cron, means: readCron(cron) }))
  const running = new Map<string, Promise<void>>()
  const begin = (cron: string, minute: number) =>
    run(cron, minute)
      .catch((error) => console.error(error instanceof OperatorError ? error.message : error))
      .finally(() => running.delete(cron))

  const minuteOf = (time: number) => time - (time % MINUTE)
  /** Ms until the next minute; a timer that fires slightly early waits again. */
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
    /** Fires no more, and waits at most `ms` for runs in progress. */
    async stop(ms: number): Promise<void> {
      clearTimeout(timer)
      const late = new Promise((done) => setTimeout(done, ms).unref())
      await Promise.race([Promise.all(running.values()), late])
    }
  }
}
