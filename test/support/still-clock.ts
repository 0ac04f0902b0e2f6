import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * On Cloudflare, the clock of an invocation stands still while its code runs. It moves when a call to another service has
 * completed, to the time, and when a timer has fired, to the time for which the timer was set.
 */

/** Whether the clock stands still; with `false`, it runs as in the local runtime. */
const IS_STILL = true

/** The clock of one invocation. */
export class StillClock {
  #now = readTime()

  /** The time of `Date`, and of `performance`, ms. */
  get now() {
    return this.#now
  }

  /** Moves to the time, after a call to another service. */
  sync(): void {
    this.#now = readTime()
  }

  /** Moves by `ms` at most, after a timer. */
  reach(due: Readonly<{ date: number; elapsed: number }>): void {
    const { date, elapsed } = readTime()
    this.#now = {
      date: Math.max(this.#now.date, Math.min(due.date, date)),
      elapsed: Math.max(this.#now.elapsed, Math.min(due.elapsed, elapsed))
    }
  }
}

/** The invocation whose code is running. */
export const running = new AsyncLocalStorage<{ clock: StillClock }>()

const { Date: RealDate, setTimeout: realTimeout } = globalThis
const readElapsed = performance.now.bind(performance)

/** Returns the time, ms; also while the clock of an invocation stands still. */
export function readTime() {
  return { date: RealDate.now(), elapsed: readElapsed() }
}

/** Returns the time that the running code sees. */
const seen = () => running.getStore()?.clock.now ?? readTime()

function stop(): void {
  const now = () => seen().date
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name))
  })
  Object.defineProperty(performance, 'now', { value: () => seen().elapsed, configurable: true })
  const setTimer = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const clock = running.getStore()?.clock
    if (!clock) {
      return realTimeout(callback, ms, ...args)
    }
    const due = { date: clock.now.date + ms, elapsed: clock.now.elapsed + ms }
    return realTimeout(() => {
      clock.reach(due)
      callback(...args)
    }, ms)
  }
  globalThis.setTimeout = Object.assign(setTimer, realTimeout)
}

if (IS_STILL) {
  stop()
}
