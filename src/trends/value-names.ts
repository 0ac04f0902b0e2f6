/*
 * Breakdown values in an answer that stand for all values beyond the limit, and for events without
 * a value.
 */
export const OTHER = '$$_posthog_breakdown_other_$$'
export const NONE = '$$_posthog_breakdown_null_$$'

const NAMES: ReadonlyMap<string, string> = new Map([
  [OTHER, 'Others'],
  [NONE, 'No value']
])

/** Names of countries in English, by their codes. */
const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** Matches the code of a country: two letters. */
const COUNTRY_CODE = /^[A-Z]{2}$/

/**
 * Returns the name of the values of a breakdown in plain words: by country, `DE` is `Germany`. The
 * same value of all dimensions is named once.
 * @param values one for each breakdown; `OTHER` for all values beyond the limit, `NONE` for none
 */
export function nameOfValues(
  breakdowns: readonly { key: string }[],
  values: readonly string[]
): string {
  const isWhole = values.every((value) => value === values[0])
  return (isWhole ? values.slice(0, 1) : values)
    .map((value, i) => NAMES.get(value) ?? nameOfValue(breakdowns[i]?.key, value))
    .join(', ')
}

const nameOfValue = (property: string | undefined, value: string): string =>
  property === '$geoip_country_code' && COUNTRY_CODE.test(value)
    ? (COUNTRIES.of(value) ?? value)
    : value
