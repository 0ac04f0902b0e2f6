/** A query parameter of a URL. */
export type Parameter = [name: string, value: string]

let last: { url: string; parameters: readonly Parameter[] } = { url: '', parameters: [] }

/** Returns the query parameters of a URL. Remembers the last URL: several parts ask for it. */
export function parametersOf(url: string): readonly Parameter[] {
  if (url !== last.url) {
    last = { url, parameters: [...new URL(url).searchParams] }
  }
  return last.parameters
}

/** Whether one of the parameters has this name. */
export const hasParameter = (url: string, name: string): boolean =>
  parametersOf(url).some(([given]) => given === name)
