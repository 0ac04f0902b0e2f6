import type { JsonObject } from '../input/json.ts'

/** The properties of events that steps are made from. */
export const STEP_PROPERTIES = ['$current_url', '$pathname', '$screen_name', '$event_type']

/**
 * Maximum number of steps of a session. Comparing two sessions takes time proportional to the
 * product of their numbers of steps.
 */
const MAX_STEPS = 200
/** Longest step, characters. */
const MAX_STEP = 120

/** Events that SDKs send automatically and that are not actions of the visitor. */
const TECHNICAL = new Set([
  '$pageleave',
  '$web_vitals',
  '$$heatmap',
  '$feature_flag_called',
  '$set',
  '$opt_in',
  '$groupidentify',
  '$create_alias',
  '$merge_dangerously'
])

/**
 * Returns the step of an event: its name, with the page or screen if there is one; undefined for an
 * event that is not an action of the visitor.
 *
 * `$pageview` of `https://shop.example/orders/42` → `$pageview /orders/:id`
 */
export function stepOf({ name, properties }: StepEvent): string | undefined {
  if (TECHNICAL.has(name)) {
    return undefined
  }
  // In V8, a slice keeps its whole text in memory. Joining copies the slice, so the text can be
  // freed.
  const detail = detailOf(name, properties)?.slice(0, MAX_STEP)
  return [name, detail].filter(Boolean).join(' ').slice(0, MAX_STEP).toWellFormed()
}

type StepEvent = { name: string; properties: JsonObject }

/**
 * Returns the steps of a session from the steps of its events in order of time. Consecutive equal
 * steps become one; at most 200 steps.
 */
export function joinSteps(ofEvents: Iterable<string | undefined>): string[] {
  const steps: string[] = []
  for (const step of ofEvents) {
    if (step !== undefined && step !== steps.at(-1)) {
      steps.push(step)
    }
    if (steps.length === MAX_STEPS) {
      break
    }
  }
  return steps
}

function detailOf(name: string, properties: JsonObject): string | undefined {
  const text = (key: string) => (typeof properties[key] === 'string' ? properties[key] : undefined)
  if (name === '$screen') {
    return text('$screen_name')
  }
  if (name === '$autocapture') {
    return text('$event_type')
  }
  if (name !== '$pageview') {
    return undefined
  }
  const url = text('$current_url')
  const path = url && URL.canParse(url) ? new URL(url).pathname : text('$pathname')
  return path && normalizePath(path)
}

/** Replaces each id in a path (number, UUID, hash, token or e-mail address) by `:id`. */
const normalizePath = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (isId(part) ? ':id' : part))
    .join('/')}`

const isId = (part: string): boolean =>
  /^\d+$/.test(part) ||
  /@|%40/i.test(part) ||
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(part) ||
  (/\d/.test(part) && (/^[0-9a-f]{8,}$/i.test(part) || /^[a-z0-9_]{16,}$/i.test(part)))
