import { TEXT } from '../types.ts'
import type { FunctionDefinition } from './definition.ts'
import { ofText, ofTexts } from './texts.ts'

/** `https://user@www.example.com:8080/a?b#c` → `www.example.com` */
const domainOf = (url: string): string =>
  /^(?:[a-z][a-z\d+.-]*:)?\/\/(?:[^/?#@]*@)?([^/?#:]*)/i.exec(url)?.[1] ?? ''

const pathOf = (url: string): string =>
  /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? ''

const queryOf = (url: string): string => /\?([^#]*)/.exec(url)?.[1] ?? ''

/** `https://x.io/?a=1&b=2`, `b` → `2`; it is not decoded. */
function parameterOf(url: string, name: string): string {
  const found = queryOf(url)
    .split('&')
    .find((part) => part.startsWith(`${name}=`))
  return found?.slice(name.length + 1) ?? ''
}

export const URLS: readonly FunctionDefinition[] = [
  ofText('domain', domainOf),
  ofText('domainWithoutWWW', (url) => domainOf(url).replace(/^www\./, '')),
  ofText('path', pathOf),
  ofText('queryString', queryOf),
  ofText('fragment', (url) => /#(.*)/s.exec(url)?.[1] ?? ''),
  ofText('cutQueryString', (url) => url.replace(/\?[^#]*/, '')),
  ofText('cutQueryStringAndFragment', (url) => url.replace(/[?#].*/s, '')),
  ofTexts('extractURLParameter', [2, 2], TEXT, (url = '', name = '') => parameterOf(url, name))
]
