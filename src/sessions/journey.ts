import type { JsonObject } from '../input/json.ts'

/** The properties that tell which page or screen it was, or what was done to it. */
export const STEP_PROPERTIES = ['$current_url', '$pathname', '$screen_name', '$event_type']

const MAX_STEPS = 200
const MAX_STEP = 120

/** What SDKs send by themselves: it says nothing of what somebody did. */
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
 * A session as a sequence: the names of its events, which are given in their order, and of pages and screens also which
 * one it was. The same step several times on end is one; at most 200.
 */
export function stepsOf(events: Iterable<{ name: string; properties: JsonObject }>): string[] {
  const steps: string[] = []
  for (const { name, properties } of events) {
    if (TECHNICAL.has(name)) {
      continue
    }
    const step = [name, detailOf(name, properties)]
      .filter(Boolean)
      .join(' ')
      .slice(0, MAX_STEP)
      .toWellFormed()
    if (step !== steps.at(-1)) {
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

/** The path with `:id` for every part that names one thing of many: numbers, UUIDs, hashes, tokens, e-mails. */
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
