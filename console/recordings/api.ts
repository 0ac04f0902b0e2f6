import type { StoredEvent } from '../events/api.ts'
import { knownName } from '../persons/api.ts'

/** A recording in the answers of the API. */
export type Recording = {
  id: string
  distinct_id: string
  viewed: boolean
  recording_duration: number
  active_seconds: number
  start_time: string
  end_time: string
  click_count: number
  keypress_count: number
  console_error_count: number
  activity: number[]
  start_url: string
  ongoing: boolean
  person: {
    id: number | null
    uuid: string
    name: string
    properties: Record<string, unknown>
  }
}

export type RecordingList = { count: number; next: string | null; results: Recording[] }

export type SimilarList = {
  results: { id: string; similarity: number; shared_steps: string[] }[]
  reason: string | null
}

/** The name of a recording's person, if one is known: not an id. */
export const visitorOf = ({ person }: Recording): string => knownName(person) ?? 'Anonymous'

/** Most bars of a strip of activity. */
const MAX_BARS = 32

/** Returns the heights of the bars of a strip, from 0 to 1: by the root, so that little is seen. */
export function barsOf(counts: readonly number[]): number[] {
  const width = Math.ceil(counts.length / MAX_BARS)
  const sums = Array.from({ length: Math.ceil(counts.length / width) || 0 }, (_, bar) =>
    counts.slice(bar * width, (bar + 1) * width).reduce((sum, count) => sum + count, 0)
  )
  const most = Math.max(1, ...sums)
  return sums.map((sum) => Math.sqrt(sum / most))
}

/** Longest name of a browser, a system or a country, characters. */
const MAX_NAME = 60

/** Returns the country, the device and the size of the window that the events of a visit name. */
export function visitFacts(events: readonly StoredEvent[]): string[] {
  const find = (name: string): unknown =>
    events.map(({ properties }) => properties[name]).find((value) => value !== undefined)
  const textOf = (name: string): string | undefined => {
    const value = find(name)
    return typeof value === 'string' ? value.slice(0, MAX_NAME) : undefined
  }
  const [browser, system] = [textOf('$browser'), textOf('$os')?.replace('Mac OS X', 'macOS')]
  const device = [browser ?? textOf('$device_name'), system].filter((name) => name !== undefined)
  const [width, height] = [find('$viewport_width'), find('$viewport_height')]
  return [
    textOf('$geoip_country_name'),
    device.join(browser === undefined ? ', ' : ' on '),
    typeof width === 'number' && typeof height === 'number' ? `${width} × ${height}` : undefined
  ].filter((fact): fact is string => fact !== undefined && fact !== '')
}
