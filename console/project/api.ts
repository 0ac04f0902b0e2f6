import { call } from '../api.ts'
import { type OwnKey, own, type Project } from '../session.ts'
import type { Invitation, ManagedKey, NewInvitation } from './types.ts'

/** The settings of a project, as the API has them. */
export type ProjectSettings = Project & {
  week_start_day: 0 | 1
  test_account_filters: object[]
  session_recording_opt_in: boolean
  session_recording_sample_rate: string | null
  session_recording_minimum_duration_milliseconds: number | null
  capture_console_log_opt_in: boolean
  heatmaps_opt_in: boolean
  autocapture_web_vitals_opt_in: boolean
  autocapture_exceptions_opt_in: boolean
  location: 'off' | 'country' | 'city'
  recording_retention_days: number | null
}

type Listed<T> = { count: number; results: T[] }

/** Rows per list: more keys than a person looks through. */
const LIMIT = '1000'

export const loadSettings = (signal: AbortSignal) => call<ProjectSettings>('GET', '', { signal })

/** Changes settings, and tells the whole console, which shows the name and the time zone. */
export async function saveSettings(change: Partial<ProjectSettings>): Promise<ProjectSettings> {
  const saved = await call<ProjectSettings>('PATCH', '', { body: change })
  const known = own.value as OwnKey
  own.value = {
    ...known,
    projects: known.projects.map((one) => (one.id === saved.id ? saved : one))
  }
  return saved
}

export const loadKeys = (signal: AbortSignal) =>
  call<Listed<ManagedKey>>('GET', '/api/personal_api_keys/', { query: { limit: LIMIT }, signal })

export const loadInvitations = (signal: AbortSignal) =>
  call<Listed<Invitation>>('GET', '/api/invitations/', { query: { limit: LIMIT }, signal })

type NewKey = {
  label: string
  scopes: string[]
  scoped_teams: number[]
  expires_at?: string | undefined
}

export const createKey = (body: NewKey) =>
  call<ManagedKey & { value: string }>('POST', '/api/personal_api_keys/', { body })

export const revokeKey = (id: number) => call<void>('DELETE', `/api/personal_api_keys/${id}/`)

type Invited = { target_email: string; role: string; scoped_teams: number[]; send_email: boolean }

export const invite = (body: Invited) => call<NewInvitation>('POST', '/api/invitations/', { body })

export const withdraw = (id: number) => call<void>('DELETE', `/api/invitations/${id}/`)

type CountedEvents = { results: { aggregated_value?: number }[] }

/** Counts the events of the last 30 days. */
export async function countEvents(signal: AbortSignal): Promise<number> {
  const query = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: null }],
    dateRange: { date_from: '-30d' },
    trendsFilter: { display: 'BoldNumber' }
  }
  const { results } = await call<CountedEvents>('POST', 'query/', { body: { query }, signal })
  return results[0]?.aggregated_value ?? 0
}
