import { Cron } from 'croner'
import { MINUTE } from '../src/calendar/units.ts'
import { describeFault } from './faults.ts'

/**
 * Returns a function that tells whether a cron expression matches a minute. Expressions have
 * Cloudflare's syntax: five fields in UTC, weekdays as names or as 1 (Sunday) to 7 (Saturday).
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
 * Calls `run` at each minute that an expression matches, with the start of that minute in ms UTC.
 * Skips an expression whose previous run is unfinished, and minutes that the machine slept through.
 * When the clock is set back, minutes repeat.
 * @param run may reject: the error is printed, and the schedule continues
 */
export function startCrons(crons: string[], run: (cron: string, minute: number) => Promise<void>) {
  const rules = crons.map((cron) => ({ cron, matches: readCron(cron) }))
  const running = new Map<string, Promise<void>>()
  const begin = (cron: string, minute: number) =>
    run(cron, minute)
      .catch((error) => console.error(describeFault(error)))
      .finally(() => running.delete(cron))

  const minuteOf = (time: number) => time - (time % MINUTE)
  /** Ms until the next minute. */
  const untilNext = () => MINUTE - (Date.now() % MINUTE)
  let last = minuteOf(Date.now())
  let timer = setTimeout(tick, untilNext())
  /**
   * Fires what is due. If the timer was early, the minute is unchanged and the next timer waits for
   * the rest of it.
   */
  function tick() {
    const minute = minuteOf(Date.now())
    if (minute !== last) {
      last = minute
      const due = rules.filter(
        ({ cron, matches }) => !running.has(cron) && matches(new Date(minute))
      )
      for (const { cron } of due) {
        running.set(cron, begin(cron, minute))
      }
    }
    timer = setTimeout(tick, untilNext())
  }

  return {
    /** Stops firing, and waits at most `ms` for unfinished runs. */
    async stop(ms: number): Promise<void> {
      clearTimeout(timer)
      const timeout = new Promise((done) => setTimeout(done, ms).unref())
      await Promise.race([Promise.all(running.values()), timeout])
    }
  }
}
