import type { BucketLength } from '../dates.ts'
import { asksFor, type Filter, toggled } from '../filters/filter.ts'

/** The keys of the five numbers, as the API names them. */
export type MetricKey = 'visitors' | 'sessions' | 'views' | 'bounce rate' | 'session duration'

export type MetricItem = { key: MetricKey; value: number | null; previous: number | null }

type WebPeriod = { days: string[] } & Record<MetricKey, (number | null)[]>

/** The cells of a row: its value, visitors and views, each with that of the period before. */
export type TableRow = [
  value: string | (string | null)[] | null,
  visitors: [number, number | null],
  views: [number, number | null]
]

export type TableAnswer = { results: TableRow[]; hasMore: boolean }

/** The answer to a `WebOverviewQuery`, as far as the page shows it. */
export type OverviewAnswer = {
  results: MetricItem[]
  series: {
    interval: BucketLength
    finished: number
    current: WebPeriod
    previous: WebPeriod | null
  }
  tables: TableAnswer[]
  events: { event: string; count: number; previous: number | null }[]
  annotations?: { date_marker: string; content: string }[]
}

/** A ranked list. */
export type Tab = {
  id: string
  name: string
  /** The `breakdownBy` of its table. */
  by: string
  /** What the values of a row filter: a property for each. */
  keys: [type: string, key: string][]
  /** Whether the rows are shown on a map. */
  isMap?: true
}

const COUNTRY: Tab['keys'] = [['event', '$geoip_country_code']]

/** A card with ranked lists, of which one is shown. Its id is a parameter of the page. */
export type Card = { id: string; title: string; all: string; tabs: Tab[] }

export const CARDS: Card[] = [
  {
    id: 'pages',
    title: 'Pages',
    all: 'All pages',
    tabs: [
      { id: 'all', name: 'All', by: 'Page', keys: [['event', '$pathname']] },
      { id: 'entry', name: 'Entry', by: 'InitialPage', keys: [['session', '$entry_pathname']] },
      { id: 'exit', name: 'Exit', by: 'ExitPage', keys: [['session', '$end_pathname']] }
    ]
  },
  {
    id: 'sources',
    title: 'Sources',
    all: 'All sources',
    tabs: [
      {
        id: 'referrer',
        name: 'Referrer',
        by: 'InitialReferringDomain',
        keys: [['session', '$entry_referring_domain']]
      },
      {
        id: 'channel',
        name: 'Channel',
        by: 'InitialChannelType',
        keys: [['session', '$channel_type']]
      },
      { id: 'utm', name: 'UTM', by: 'InitialUTMSource', keys: [['session', '$entry_utm_source']] }
    ]
  },
  {
    id: 'places',
    title: 'Places',
    all: 'All places',
    tabs: [
      { id: 'country', name: 'Country', by: 'Country', keys: COUNTRY },
      { id: 'map', name: 'Map', by: 'Country', keys: COUNTRY, isMap: true },
      {
        id: 'city',
        name: 'City',
        by: 'City',
        keys: [
          ['event', '$geoip_country_code'],
          ['event', '$geoip_city_name']
        ]
      },
      { id: 'language', name: 'Language', by: 'Language', keys: [['event', '$browser_language']] }
    ]
  },
  {
    id: 'browsers',
    title: 'Browsers',
    all: 'All browsers',
    tabs: [
      { id: 'browser', name: 'Browser', by: 'Browser', keys: [['event', '$browser']] },
      { id: 'system', name: 'System', by: 'OS', keys: [['event', '$os']] }
    ]
  },
  {
    id: 'devices',
    title: 'Devices',
    all: 'All devices',
    tabs: [{ id: 'type', name: 'Type', by: 'DeviceType', keys: [['event', '$device_type']] }]
  }
]

/** Rows of a card. */
export const ROWS = 6

/** Rows of a map: there are fewer countries. */
const MAP_ROWS = 300

/** Returns the question for the rows of a list. */
export const tableOf = ({ by, isMap }: Tab): { breakdownBy: string; limit: number } => ({
  breakdownBy: by,
  limit: isMap ? MAP_ROWS : ROWS
})

/** Returns the list of a card that an address asks for: the first unless it names another. */
export const tabIn = ({ id, tabs }: Card, values: URLSearchParams): Tab | undefined =>
  tabs.find((tab) => tab.id === values.get(id)) ?? tabs[0]

/** Returns the filters for which a row stands. */
export const filtersOfRow = ({ keys }: Tab, value: TableRow[0]): Filter[] => {
  const values = Array.isArray(value) ? value : [value]
  return keys.map(([type, key], i) => {
    const one = values[i] ?? null
    return one === null
      ? { type, key, operator: 'is_not_set' }
      : { type, key, operator: 'exact', value: [one] }
  })
}

/** What shows the rows of a list. */
export type RowsProps = {
  tab: Tab
  rows: readonly TableRow[]
  filters: readonly Filter[]
  /** The visitors of the period. */
  total: number
}

/** Whether the filters for which a row stands are set. */
export const isRowOn = (tab: Tab, value: TableRow[0], filters: readonly Filter[]): boolean =>
  filtersOfRow(tab, value).every((one) => asksFor(filters, one))

/** Returns the filters after a click on a row: with its own, or without them if they are set. */
export const toggleRow = (tab: Tab, value: TableRow[0], filters: readonly Filter[]): Filter[] => {
  const isOn = isRowOn(tab, value, filters)
  return filtersOfRow(tab, value)
    .filter((one) => isOn || !asksFor(filters, one))
    .reduce((list, one) => toggled(list, one), [...filters])
}

/** Levels of colour on a map. */
const LEVELS = 6

/** Returns the level of a number: from 1 to 6, by its root, so that small ones differ, too. */
export const levelOf = (value: number, most: number): number =>
  Math.max(1, Math.ceil(LEVELS * Math.sqrt(value / most)))

/** The change of a metric: its direction, its amount in percent or points, and whether that is good. */
export type Change = { isRise: boolean; amount: number; isPoints: boolean; isGood: boolean }

/**
 * Returns the change of a metric against the period before; undefined if there is nothing to compare
 * with. A rate changes in points. Amounts that round to nothing are 0.
 */
export function changeOf({ key, value, previous }: MetricItem): Change | undefined {
  const isPoints = key === 'bounce rate'
  if (value === null || previous === null || (previous === 0 && !isPoints)) {
    return undefined
  }
  const exact = isPoints ? value - previous : (100 * (value - previous)) / previous
  const amount = Math.round(Math.abs(exact) * 10) / 10
  return { isRise: exact > 0, amount, isPoints, isGood: exact > 0 !== isPoints }
}
