import { phrase } from './words.ts'

/**
 * A pattern that matches the names of a browser, system or device, and the value that SDKs send for
 * it.
 */
type Named = readonly [names: string, value: string]

const BROWSERS: Named[] = [
  ['(?:google )?chrome', 'Chrome'],
  ['mobile safari', 'Mobile Safari'],
  ['safari', 'Safari'],
  ['(?:mozilla )?firefox', 'Firefox'],
  ['(?:microsoft )?edge', 'Microsoft Edge'],
  ['opera', 'Opera'],
  ['samsung internet', 'Samsung Internet'],
  ['internet explorer|ie', 'Internet Explorer']
]

const SYSTEMS: Named[] = [
  ['windows', 'Windows'],
  ['mac ?os(?: ?x)?|macs?|macbooks?', 'Mac OS X'],
  ['linux', 'Linux'],
  ['android', 'Android'],
  ['ios|iphones?|ipads?', 'iOS']
]
const CHROME_OS: Named = ['chrome ?os|chromebooks?', 'Chrome OS']

const DEVICES: Named[] = [
  ['(?:mobile|cell|smart) ?phones?|phones?|mobiles?(?: devices?)?', 'Mobile'],
  ['tablets?(?: devices?)?', 'Tablet'],
  ['desktops?(?: (?:computers?|devices?))?', 'Desktop']
]

/** Common English names of countries, besides the official names. */
const ALIASES: Named[] = [
  ['usa', 'US'],
  ['united states of america', 'US'],
  ['america', 'US'],
  ['uk', 'GB'],
  ['great britain', 'GB'],
  ['britain', 'GB'],
  ['england', 'GB'],
  ['czech republic', 'CZ'],
  ['turkey', 'TR'],
  ['uae', 'AE'],
  ['holland', 'NL']
]

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Region codes that are not countries. */
const NO_COUNTRIES = ['EU', 'EZ', 'UN', 'QO', 'ZZ', 'XA', 'XB']

/** Maps the lower-case names of countries to their codes, without codes out of use. */
function listCountries(): Map<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
    (code) => !NO_COUNTRIES.includes(code) && new Intl.Locale(`und-${code}`).region === code
  )
  const official = codes.map((code): Named => [fold(names.of(code) ?? code), code])
  // A code without a name got the code itself as its name above.
  return new Map([...official.filter(([name, code]) => name !== fold(code)), ...ALIASES])
}

const fold = (name: string): string =>
  name.toLowerCase().replaceAll('’', "'").replaceAll(/\s+/g, ' ')

const quoteName = (name: string): string =>
  name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("'", "['’]")

/** A pattern of names, the property that they are values of, and the value of a name. */
export type NamedValue = { pattern: RegExp; key: string; toValue: (name: string) => string }

let known: NamedValue[] | undefined

/** Returns patterns for countries, browsers, systems and devices; the list is made on first use. */
export function namedValues(): NamedValue[] {
  known ??= listNamedValues()
  return known
}

function listNamedValues(): NamedValue[] {
  const countries = listCountries()
  // A longer name must come before a shorter name that it begins with.
  const names = [...countries.keys()].sort((a, b) => b.length - a.length).map(quoteName)
  const named = (key: string, all: Named[]) =>
    all.map(([words, value]) => ({ pattern: phrase(`(${words})`), key, toValue: () => value }))
  return [
    {
      pattern: phrase(`(?:the )?(${names.join('|')})`),
      key: '$geoip_country_code',
      toValue: (name) => countries.get(fold(name)) ?? name
    },
    // `Chrome OS` has to come before the browser `Chrome`.
    ...named('$os', [CHROME_OS]),
    ...named('$browser', BROWSERS),
    ...named('$os', SYSTEMS),
    ...named('$device_type', DEVICES)
  ]
}
