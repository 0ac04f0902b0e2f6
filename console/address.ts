import { computed, signal } from '@preact/signals'

/*
 * The address of a page: `#/1/persons?search=ada`. It is in the fragment, so that no server and no log gets names, searches
 * and filters.
 */

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

/** The parts of the path, decoded: the project's id, the page, and what it shows. */
export const path = computed((): string[] => split(hash.value).path)

/** The parameters of the page. */
export const parameters = computed(() => new URLSearchParams(split(hash.value).query))

function split(text: string): { path: string[]; query: string } {
  const [whole = '', query = ''] = text.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { path: whole.split('/').filter(Boolean).map(decode), query }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export type Parameters = Record<string, string | undefined>

/** Returns the address of a page of the project in the present address. */
export const addressOf = (page: readonly string[], values: Parameters = {}): string =>
  addressIn(path.value[0] ?? '', page, values)

/** Returns the address of a page of a project. */
export function addressIn(
  project: string,
  page: readonly string[],
  values: Parameters = {}
): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(set as [string, string][]).toString()
  return `#/${[project, ...page].map(encodeURIComponent).join('/')}${query && `?${query}`}`
}

/**
 * Changes parameters of the page that is open; the others stay, but `point`: a point of a chart
 * belongs to what the others ask for.
 */
export function setParameters(values: Parameters, how: { replace?: boolean } = {}): void {
  const { point: _, ...others } = Object.fromEntries(parameters.value)
  go(addressOf(path.value.slice(1), { ...others, ...values }), how)
}

/** Goes to an address. `replace` leaves no entry in the history, as while someone types. */
export function go(address: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', address)
  hash.value = location.hash
}

/**
 * Returns the code of an invitation in the address, and removes it from the address bar and the
 * history.
 */
export function takeCode(): string | undefined {
  const [, code] = /^#code=(.*)$/.exec(location.hash) ?? []
  if (code !== undefined) {
    go('#/', { replace: true })
  }
  return code
}
