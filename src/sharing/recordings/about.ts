import { describeMoment } from '../../calendar/words.ts'
import type { ListedRecording } from '../../recordings/list/store.ts'
import type { Visit } from './visit.store.ts'

/** What the player's page says of a recording, beside playing it. */
export type About = {
  /** The first page. */
  title: string
  /** When, from which country, and on which device. */
  facts: string[]
  clicks: number
  keys: number
  errors: number
}

/** Longest name of a browser, a system or a device, characters. */
const MAX_NAME = 60

/** Describes a recording. Times are in the project's time zone. */
export const describeRecording = (
  row: ListedRecording,
  visit: Visit | undefined,
  timezone: string
): About => ({
  title: row.start_url?.replace(/^https?:\/\//, '') ?? 'Session recording',
  facts: [
    describeMoment(row.start_time, timezone),
    countryOf(visit?.country),
    visit && deviceOf(visit)
  ].filter((fact) => fact !== undefined),
  clicks: row.click_count,
  keys: row.keypress_count,
  errors: row.console_error_count
})

/** `DE` → `Germany` */
function countryOf(code: string | null | undefined): string | undefined {
  return code && /^[A-Z]{2}$/.test(code)
    ? new Intl.DisplayNames('en', { type: 'region' }).of(code)
    : undefined
}

/** `Firefox on macOS`, `iPhone, iOS` */
function deviceOf({ browser, os, device }: Visit): string | undefined {
  const system = os === 'Mac OS X' ? 'macOS' : os
  const names = [browser ?? device, system].filter((name) => typeof name === 'string')
  return names.length === 0
    ? undefined
    : names.map((name) => name.slice(0, MAX_NAME)).join(browser ? ' on ' : ', ')
}
