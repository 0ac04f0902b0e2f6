/** An event of an actor, with the steps and exclusions that it is, from 0 on. */
export type OracleEvent = {
  time: number
  steps: readonly number[]
  exclusions: readonly number[]
  value: string | null
}

export type OracleFunnel = {
  order: 'ordered' | 'strict' | 'unordered'
  steps: number
  window: number
  exclusions: readonly { from: number; to: number }[]
}

/** An attempt of an actor: the event of each step that was taken. */
export type OracleAttempt = { taken: OracleEvent[]; isSpoilt: boolean }

/** Sorts an actor's events by time; simultaneous ones by their first step, those without a step last. */
export function sortEvents(events: readonly OracleEvent[]): OracleEvent[] {
  const keyOf = ({ steps, exclusions, value }: OracleEvent): (number | string)[] => {
    const bits = [...steps, ...exclusions.map((i) => 100 + i)].sort((a, b) => a - b)
    const marks = bits.reduce((sum, bit) => sum + 2 ** (bit >= 100 ? bit - 80 : bit), 0)
    return [bits[0] ?? 1_000, marks, value ?? '']
  }
  return [...events].sort((a, b) => {
    const [left, right] = [
      [a.time, ...keyOf(a)],
      [b.time, ...keyOf(b)]
    ]
    const at = left.findIndex((one, i) => one !== right[i])
    if (at < 0) {
      return 0
    }
    return (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1
  })
}

/** Finds the best attempt in an actor's sorted events by trying everything; undefined for none. */
export function bestAttempt(
  events: readonly OracleEvent[],
  funnel: OracleFunnel
): OracleAttempt | undefined {
  const attempts = ATTEMPTS[funnel.order](events, funnel)
  const furthest = Math.max(0, ...attempts.map(({ taken }) => taken.length))
  const best = attempts.filter(({ taken }) => taken.length === furthest)
  return best.find(({ isSpoilt }) => !isSpoilt) ?? best[0]
}

const ATTEMPTS = { ordered, strict, unordered }

/** Lists the attempts of a funnel in order, by the moment at which each got furthest. */
function ordered(events: readonly OracleEvent[], funnel: OracleFunnel): OracleAttempt[] {
  /** The places of the events that each attempt has taken. */
  const paths: number[][] = []
  const entries = [...events.keys()].filter((i) => events[i]?.steps.includes(0))
  for (const entry of entries.reverse()) {
    const path = [entry]
    for (;;) {
      const [last, step] = [path.at(-1) ?? 0, path.length]
      const isOvertaken = (at: number) =>
        paths.some((other) => (other[step - 1] ?? -1) > last && (other[step - 1] ?? at) < at)
      const next = events.findIndex(
        ({ time, steps }, i) =>
          i > last &&
          step < funnel.steps &&
          steps.includes(step) &&
          time - (events[entry]?.time ?? 0) <= funnel.window
      )
      if (next < 0 || isOvertaken(next)) {
        break
      }
      path.push(next)
    }
    paths.push(path)
  }
  return paths
    .sort((a, b) => (a.at(-1) ?? 0) - (b.at(-1) ?? 0))
    .map((path) => ({
      taken: path.flatMap((i) => events[i] ?? []),
      isSpoilt: path.some((at, step) =>
        events.some(
          ({ time, exclusions }, i) =>
            i > at &&
            i <= (path[step + 1] ?? events.length) &&
            time - (events[path[0] ?? 0]?.time ?? 0) <= funnel.window &&
            exclusions.some((one) => covers(funnel, one, step))
        )
      )
    }))
}

function covers({ exclusions }: OracleFunnel, one: number, step: number): boolean {
  const { from, to } = exclusions[one] ?? { from: 0, to: 0 }
  return from <= step && step < to
}

type Slot = { taken: OracleEvent[]; isSpoilt: boolean; isGone: boolean }

/** Lists the attempts of a strict funnel: plays all events, and notes each slot after each event. */
function strict(events: readonly OracleEvent[], funnel: OracleFunnel): OracleAttempt[] {
  let slots: (Slot | undefined)[] = []
  const attempts: Slot[] = []
  for (const event of events) {
    for (const attempt of attempts.filter((one) => isSpoiltBy(one, event, funnel))) {
      attempt.isSpoilt = true
    }
    const before = slots
    slots = Array.from({ length: funnel.steps }, (_, step) =>
      event.steps.includes(step) ? takeStep(before, step, event, funnel) : undefined
    )
    for (const [step, slot] of slots.entries()) {
      if (slot) {
        attempts.push(...(slot === before[step] ? [] : [slot]))
        slot.isGone = slots[step + 1]?.taken.at(-2) === slot.taken.at(-1)
      }
    }
  }
  return attempts
}

const isLate = ({ taken }: Slot, { time }: OracleEvent, { window }: OracleFunnel): boolean =>
  time - (taken[0]?.time ?? 0) > window

const isSpoiltBy = (attempt: Slot, event: OracleEvent, funnel: OracleFunnel): boolean =>
  !attempt.isGone &&
  !isLate(attempt, event, funnel) &&
  event.exclusions.some((one) => covers(funnel, one, attempt.taken.length - 1))

/** Returns the attempt in the slot of a step after an event that is the step. */
function takeStep(
  slots: readonly (Slot | undefined)[],
  step: number,
  event: OracleEvent,
  funnel: OracleFunnel
): Slot | undefined {
  const from = slots[step - 1]
  if (step === 0) {
    return { taken: [event], isSpoilt: false, isGone: false }
  }
  return from && !from.isGone && !isLate(from, event, funnel)
    ? { taken: [...from.taken, event], isSpoilt: from.isSpoilt, isGone: false }
    : slots[step]
}

/** Lists the attempts of a funnel without an order: one after each event. */
function unordered(events: readonly OracleEvent[], funnel: OracleFunnel): OracleAttempt[] {
  let latest = new Map<number, OracleEvent>()
  return events.map((event) => {
    if (event.exclusions.length > 0) {
      latest = new Map()
    }
    const timeOf = (step: number): number => {
      const time = latest.get(step)?.time ?? Number.NEGATIVE_INFINITY
      return event.time - time <= funnel.window ? time : Number.NEGATIVE_INFINITY
    }
    const [step] = [...event.steps].sort((a, b) =>
      timeOf(a) === timeOf(b) ? a - b : timeOf(a) - timeOf(b)
    )
    if (step !== undefined) {
      latest.set(step, event)
    }
    const taken = [...latest]
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one)
      .filter(({ time }) => event.time - time <= funnel.window)
      .sort((a, b) => a.time - b.time)
    return { taken, isSpoilt: false }
  })
}
