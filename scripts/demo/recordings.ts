import { DAY } from '../../src/calendar/units.ts'
import type { JsonObject } from '../../src/input/json.ts'
import { BUTTON, buttonOf, drawPage, toast, type View } from './pages.ts'
import type { DemoEvent } from './visitor.ts'

/** Largest number of recordings. */
const MAX_RECORDINGS = 100

/** Greatest age of a recorded session, ms: the service accepts snapshots of the last seven days. */
const MAX_AGE_MS = 6.5 * DAY

/** rrweb's numbers: types of events, sources of a change, and the type of a mouse interaction. */
const [FULL_SNAPSHOT, CHANGE, META, CUSTOM] = [2, 3, 4, 5]
const [MUTATION, MOUSE_MOVE, MOUSE_INTERACTION] = [0, 1, 2]
const CLICK = 2

/** Largest window, pixels: nobody fills a wide screen with one page. */
const WINDOW = { width: 1_280, height: 720 }

/** Where the mouse is before a click, as shares of the window. */
const REST = { x: 0.4, y: 0.7 }

/** Number of steps in which the mouse moves before a click, and the length of a step, ms. */
const [MOVES, MOVE_MS] = [12, 50]

/** A recorded session, as one event of the kind that posthog-js sends. */
export type DemoRecording = {
  uuid: string
  sessionId: string
  email: string
  properties: JsonObject
}

/** Makes recordings of the latest sign-ups whose sessions the service still accepts at `now`, ms UTC. */
export function recordSignUps(events: DemoEvent[], now: number): DemoRecording[] {
  const sessions = Map.groupBy(events, ({ properties }) => properties.$session_id)
  return events
    .filter(({ event, timestamp }) => event === 'signed up' && isYoung(timestamp, now))
    .slice(-MAX_RECORDINGS)
    .flatMap((signUp) => {
      const steps = sessions.get(signUp.properties.$session_id) ?? []
      return isYoung(steps[0]?.timestamp ?? new Date(0), now) ? [record(signUp, steps)] : []
    })
}

const isYoung = (time: Date, now: number): boolean => time.getTime() > now - MAX_AGE_MS

function record(signUp: DemoEvent, steps: DemoEvent[]): DemoRecording {
  const introduction = steps.find(({ event }) => event === '$identify')?.properties.$set
  const { name, email, company } = (introduction ?? {}) as Record<string, string>
  const visitor = { name: name ?? '', company: company ?? '' }
  const { $session_id, $window_id } = signUp.properties
  return {
    uuid: signUp.uuid,
    sessionId: String($session_id),
    email: email ?? '',
    properties: {
      distinct_id: signUp.distinctId,
      $session_id: $session_id ?? null,
      $window_id: $window_id ?? null,
      $snapshot_source: 'web',
      $snapshot_data: steps.flatMap((step, i) => stepEvents(step, steps[i - 1], visitor))
    }
  }
}

/**
 * Returns the recorder's events for one step: the page, if it is new, then a click and the notice that follows it. A step
 * whose event begins with `$`, such as a page view, has no click.
 */
function stepEvents(
  { event, timestamp, properties }: DemoEvent,
  previous: DemoEvent | undefined,
  visitor: Pick<View, 'name' | 'company'>
): JsonObject[] {
  const time = timestamp.getTime()
  const path = String(properties.$pathname)
  const window = windowOf(properties)
  const isNew = path !== previous?.properties.$pathname || event === '$pageview'
  const page = isNew ? pageEvents(time, { path, ...visitor, ...window }, window) : []
  if (event.startsWith('$')) {
    return page
  }
  return [
    ...page,
    ...clickEvents(time, path, window),
    { type: CUSTOM, timestamp: time, data: { tag: event, payload: {} } },
    {
      type: CHANGE,
      timestamp: time + 150,
      data: { source: MUTATION, texts: [], removes: [], attributes: [], adds: toast(event, time) }
    }
  ]
}

type Window = typeof WINDOW

const windowOf = ({ $screen_width, $screen_height }: JsonObject): Window => ({
  width: Math.min(Number($screen_width), WINDOW.width),
  height: Math.min(Number($screen_height), WINDOW.height)
})

/** Returns the recorder's events for a page, which appears three seconds before `time`, the time of its first step. */
function pageEvents(time: number, view: View, { width, height }: Window) {
  const href = `https://harbour.example${view.path}`
  const timestamp = time - 3_000
  return [
    { type: META, timestamp, data: { href, width, height } },
    {
      type: FULL_SNAPSHOT,
      timestamp: timestamp + 1,
      data: { node: drawPage(view), initialOffset: { top: 0, left: 0 } }
    }
  ]
}

/** Returns the recorder's events for a mouse that moves to the button and clicks it at `time`. */
function clickEvents(time: number, path: string, { width, height }: Window): JsonObject[] {
  const button = buttonOf({ path, width })
  const rest = { x: REST.x * width, y: REST.y * height }
  const positions = Array.from({ length: MOVES }, (_, i) => ({
    x: rest.x + ((button.x - rest.x) * (i + 1)) / MOVES,
    y: rest.y + ((button.y - rest.y) * (i + 1)) / MOVES,
    id: BUTTON,
    timeOffset: (i + 1 - MOVES) * MOVE_MS
  }))
  return [
    { type: CHANGE, timestamp: time - 100, data: { source: MOUSE_MOVE, positions } },
    {
      type: CHANGE,
      timestamp: time,
      data: { source: MOUSE_INTERACTION, type: CLICK, id: BUTTON, ...button }
    }
  ]
}
