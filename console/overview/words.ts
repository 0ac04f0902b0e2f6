import { valueName } from '../filters/properties.ts'
import type { Tab, TableRow } from './question.ts'

/** `38%` */
export const share = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0
})

/** What a row is called. */
export function rowName({ keys }: Tab, value: TableRow[0]): string {
  if (!Array.isArray(value)) {
    return value === null ? 'Unknown' : valueName(keys[0]?.[1] ?? '', value)
  }
  const [country, ...place] = value
  const name = country ? valueName('$geoip_country_code', country) : 'Unknown'
  return [place.at(-1), name].filter(Boolean).join(', ')
}
