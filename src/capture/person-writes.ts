import { isObject, type Json, type JsonObject } from '../input/json.ts'
import type { Stamp, Write } from '../persons/last-write.ts'
import { CLICK_IDS, UTM_PARAMETERS } from '../properties/campaign.ts'
import { PLACE_PROPERTIES } from '../properties/place.ts'
import type { CapturedEvent } from './event.ts'

/** Events about a person: their device properties replace the person's. */
const PERSON_EVENTS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$set'])

/** Events that write none of their properties to the person, only `$creator_event_uuid`. */
const NO_WRITES = new Set(['$exception', '$$heatmap', '$snapshot', '$groupidentify'])

/**
 * Properties that change with every page or device. An ordinary event sets only those that the
 * person lacks, so a pageview rarely writes a person.
 */
const VOLATILE = new Set([
  '$browser',
  '$browser_version',
  '$device_type',
  '$current_url',
  '$pathname',
  '$os',
  '$os_version',
  '$referring_domain',
  '$referrer',
  '$screen_height',
  '$screen_width',
  '$viewport_height',
  '$viewport_width',
  '$raw_user_agent',
  ...PLACE_PROPERTIES
])

const APP = ['$app_build', '$app_name', '$app_namespace', '$app_version']
/** Campaign parameters that persons keep and sessions do not. */
const OF_PERSONS = ['utm_name', 'rdt_cid', 'epik', 'qclid', 'sccid']
const LIFTED = [...VOLATILE, ...APP, ...UTM_PARAMETERS, ...CLICK_IDS, ...OF_PERSONS]

/** Whether an event may write to a person: unless `$process_person_profile` is `false`. */
export const hasPersonProfile = (properties: JsonObject): boolean =>
  properties.$process_person_profile !== false

/**
 * Lists the writes of an event to its person, all with this stamp: `$set`, `$set_once`, `$unset`,
 * and the event properties that describe the person's device and origin. PostHog's ingestion lifts
 * the same properties; `$initial_…` keeps the first value.
 */
export function writesOf(
  { event, uuid, properties }: Pick<CapturedEvent, 'event' | 'uuid' | 'properties'>,
  stamp: Stamp
): Write[] {
  if (!hasPersonProfile(properties)) {
    return []
  }
  const writes: Write[] = [{ kind: 'seed', key: '$creator_event_uuid', value: uuid, stamp }]
  if (NO_WRITES.has(event)) {
    return writes
  }

  const set = isObject(properties.$set) ? properties.$set : {}
  const once = isObject(properties.$set_once) ? properties.$set_once : {}
  for (const [key, value] of lifted(properties)) {
    if (!Object.hasOwn(set, key)) {
      writes.push({ kind: kindOf(event, key), key, value, stamp })
    }
    const initial = `$initial_${key.replace(/^\$/, '')}`
    if (value !== null && !Object.hasOwn(once, initial)) {
      writes.push({ kind: 'seed', key: initial, value, stamp })
    }
  }
  for (const [key, value] of Object.entries(once)) {
    writes.push({ kind: 'once', key, value, stamp })
  }
  for (const [key, value] of Object.entries(set)) {
    writes.push({ kind: 'set', key, value, stamp })
  }
  for (const key of unsetKeys(properties.$unset)) {
    writes.push({ kind: 'unset', key, stamp })
  }
  return writes
}

const kindOf = (event: string, key: string): 'set' | 'seed' =>
  PERSON_EVENTS.has(event) || !VOLATILE.has(key) ? 'set' : 'seed'

/**
 * Yields the properties that are lifted to the person. Some SDKs name the operating system
 * `$os_name`; the operating system of a server is not the person's.
 */
function* lifted(properties: JsonObject): Generator<[string, Json]> {
  for (const key of LIFTED) {
    if (properties.$is_server === true && (key === '$os' || key === '$os_version')) {
      continue
    }
    const value =
      key === '$os' && properties.$os === undefined ? properties.$os_name : properties[key]
    if (value !== undefined) {
      yield [key, value]
    }
  }
}

function unsetKeys(unset: Json | undefined): string[] {
  if (Array.isArray(unset)) {
    return unset.filter((key) => typeof key === 'string')
  }
  return isObject(unset) ? Object.keys(unset) : []
}
