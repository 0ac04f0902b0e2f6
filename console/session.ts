import { computed, signal } from '@preact/signals'
import { hasScope } from '../src/access/scopes.ts'
import { path } from './address.ts'

/** A project, as far as the console needs it. */
export type Project = {
  id: number
  name: string
  timezone: string
  api_token: string
  /** The day on which weeks begin: 0 for Sunday, 1 for Monday. */
  week_start_day: 0 | 1
}

/** The key of this browser, as `/api/personal_api_keys/@current/` describes it. */
export type OwnKey = {
  label: string
  scopes: string[]
  projects: Project[]
  user: { first_name: string; email: string }
  expires_at: string | null
}

/** Begins the names under which the console keeps something, for the tab or on the device. */
export const PREFIX = 'edge-analytics-'

/** The name under which the key is kept. */
const PLACE = `${PREFIX}key`

/** The key; undefined until someone has signed in. */
export const key = signal(sessionStorage.getItem(PLACE) ?? localStorage.getItem(PLACE) ?? undefined)

/** What the service says about the key. */
export const own = signal<OwnKey | undefined>(undefined)

/** Whether the service has refused the key: the sign-in then lies over the page. */
export const isRefused = signal(false)

export const isRemembered = signal(localStorage.getItem(PLACE) !== null)

/** The project in the address. */
export const project = computed(() =>
  own.value?.projects.find(({ id }) => String(id) === path.value[0])
)

/** Whether the key has a scope: `x:write` includes `x:read`, and `*` includes all. */
export const may = (scope: string): boolean => hasScope(own.value?.scopes ?? [], scope)

let waiting: (() => void)[] = []

/** Keeps a key that the service has accepted, and sends the requests again that were refused. */
export function enter(accepted: string, described: OwnKey, remember: boolean): void {
  key.value = accepted
  own.value = described
  keep(remember)
  isRefused.value = false
  for (const resume of waiting) {
    resume()
  }
  waiting = []
}

/** Where pages keep what belongs to a session, under names that begin with `PREFIX`. */
export const storage = (): Storage => (isRemembered.value ? localStorage : sessionStorage)

const namesIn = (kept: Storage): string[] =>
  Object.keys(kept).filter((name) => name.startsWith(PREFIX))

/** Keeps the key, and what belongs to the session, on the device, or until the tab is closed. */
export function keep(remember: boolean): void {
  const [used, unused] = remember ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
  for (const name of namesIn(unused)) {
    used.setItem(name, unused.getItem(name) ?? '')
    unused.removeItem(name)
  }
  used.setItem(PLACE, key.value ?? '')
  isRemembered.value = remember
}

/** Shows the sign-in over the page, and waits until it has succeeded. */
export function signedInAgain(): Promise<void> {
  isRefused.value = true
  return new Promise((resume) => {
    waiting.push(resume)
  })
}

/** Forgets the key, and what belongs to the session. */
export function forget(): void {
  for (const kept of [sessionStorage, localStorage]) {
    for (const name of namesIn(kept)) {
      kept.removeItem(name)
    }
  }
  key.value = undefined
  own.value = undefined
  isRefused.value = false
}

// Another tab has signed out, or has another key now.
addEventListener('storage', (event) => {
  if (event.key === PLACE && isRemembered.value) {
    location.reload()
  }
})
