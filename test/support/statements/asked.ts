import type { Json } from '../../../src/input/json.ts'
import { buyersOf, dayOf, daysAgo, hourOf, printed, type Sold, visitsOf, weekOf } from './shop.ts'

/*
 * A hundred statements in the shapes of public scripts, and their answers in plain code.
 */

type Cells = Json[]
type Rows = Cells[]

/** A statement and the rows that it must have. */
type Asked = [statement: string, answer: (shop: Sold[]) => Rows]

type Measure = (some: Sold[]) => Json

const count: Measure = (some) => some.length
const persons: Measure = (some) => new Set(some.map(({ person }) => person)).size
const distinct =
  (read: (sold: Sold) => Json): Measure =>
  (some) =>
    new Set(some.map(read).filter((value) => value !== null)).size
const numbers = (some: Sold[], read: (sold: Sold) => number | null): number[] =>
  some.map(read).filter((value) => value !== null)
const total = (list: number[]): number => list.reduce((sum, value) => sum + value, 0)
/** A sum of nullable numbers is null without any. */
const sum =
  (read: (sold: Sold) => number | null): Measure =>
  (some) => {
    const list = numbers(some, read)
    return list.length === 0 ? null : total(list)
  }
const mean =
  (read: (sold: Sold) => number | null): Measure =>
  (some) => {
    const list = numbers(some, read)
    return list.length === 0 ? null : total(list) / list.length
  }
const quantile =
  (level: number, read: (sold: Sold) => number | null): Measure =>
  (some) => {
    const list = numbers(some, read).toSorted((a, b) => a - b)
    const place = level * (list.length - 1)
    const [low, high] = [list[Math.floor(place)], list[Math.ceil(place)]]
    return low === undefined || high === undefined ? null : low + (high - low) * (place % 1)
  }
const price = (sold: Sold): number | null => sold.price
const only =
  (keep: (sold: Sold) => boolean, measure: Measure = count): Measure =>
  (some) =>
    measure(some.filter(keep))

const isView = ({ event }: Sold): boolean => event === '$pageview'
const isBuy = ({ event }: Sold): boolean => event === 'purchase'
const views = (shop: Sold[]): Sold[] => shop.filter(isView)
const buys = (shop: Sold[]): Sold[] => shop.filter(isBuy)

/** Null comes last, and numbers and texts in their order. */
function compare(a: Json | undefined, b: Json | undefined): number {
  if (a === null || b === null || a === undefined || b === undefined) {
    return Number(a === null) - Number(b === null)
  }
  return Number(a > b) - Number(a < b)
}

/** Orders rows by columns from 1 on; a negative one is descending. */
const ordered = (rows: Rows, ...columns: number[]): Rows =>
  rows.toSorted((a, b) => {
    for (const column of columns) {
      const place = Math.abs(column) - 1
      const [x, y] = [a[place], b[place]]
      const order = compare(x, y)
      if (order !== 0) {
        return x === null || y === null ? order : order * Math.sign(column)
      }
    }
    return 0
  })

/** Groups events by a value or several, and measures each group. */
function grouped(shop: Sold[], keyOf: (sold: Sold) => Json, ...measures: Measure[]): Rows {
  const groups = Map.groupBy(shop, (sold) => JSON.stringify(keyOf(sold)))
  return [...groups].map(([key, some]) => {
    const parsed: Json = JSON.parse(key)
    return [...(Array.isArray(parsed) ? parsed : [parsed]), ...measures.map((one) => one(some))]
  })
}

/** A top list: the most first, and equal ones by their key. */
const top = (shop: Sold[], keyOf: (sold: Sold) => Json, ...measures: Measure[]): Rows =>
  ordered(grouped(shop, keyOf, ...measures), -2, 1)

const totals =
  (...measures: Measure[]) =>
  (shop: Sold[]): Rows => [measures.map((measure) => measure(shop))]

/** A time series, by time. */
const series =
  (keyOf: (sold: Sold) => Json, ...measures: Measure[]) =>
  (shop: Sold[]): Rows =>
    ordered(grouped(shop, keyOf, ...measures), 1)

const first: Measure = (some) => printed(Math.min(...some.map(({ at }) => at)))
const last: Measure = (some) => printed(Math.max(...some.map(({ at }) => at)))
const byTime = (shop: Sold[]): Sold[] => shop.toSorted((a, b) => a.at - b.at)

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

const TOP_LISTS: Asked[] = [
  [
    "SELECT properties.$pathname AS path, count() AS n, count(DISTINCT person_id) AS u FROM events WHERE event = '$pageview' AND timestamp > now() - INTERVAL 30 DAY GROUP BY path ORDER BY n DESC, path LIMIT 20",
    (shop) => top(views(shop), ({ path }) => path, count, persons)
  ],
  [
    "SELECT properties.$browser AS browser, count() AS n FROM events WHERE event = '$pageview' AND timestamp >= now() - INTERVAL 7 DAY GROUP BY browser ORDER BY n DESC, browser LIMIT 10",
    (shop) =>
      top(
        views(shop).filter((sold) => daysAgo(sold) <= 7),
        ({ browser }) => browser,
        count
      )
  ],
  [
    "SELECT coalesce(nullIf(properties.$referring_domain, ''), '(none)') AS source, count() AS n, uniq(person_id) FROM events WHERE event != '$identify' GROUP BY source ORDER BY n DESC, source LIMIT 10",
    (shop) => top(shop, ({ referrer }) => referrer || '(none)', count, persons)
  ],
  [
    "SELECT properties.$geoip_country_code, count(DISTINCT person_id) AS visitors FROM events WHERE event = '$pageview' GROUP BY properties.$geoip_country_code ORDER BY visitors DESC, 1 LIMIT 10",
    (shop) => top(views(shop), ({ country }) => country, persons)
  ],
  [
    'SELECT properties.$os AS os, count() AS n FROM events WHERE os IS NOT NULL GROUP BY os ORDER BY n DESC, os',
    (shop) =>
      top(
        shop.filter(({ os }) => os !== null),
        ({ os }) => os,
        count
      )
  ],
  [
    'select properties.utm_source as source, count(*) as n, count(distinct distinct_id) FROM events where properties.utm_source is not null group by source order by n desc, source limit 50',
    (shop) =>
      top(
        shop.filter(({ utm }) => utm !== null),
        ({ utm }) => utm,
        count,
        distinct(({ id }) => id)
      )
  ],
  [
    "SELECT event, count() AS total FROM events WHERE timestamp > now() - INTERVAL 90 DAY AND event NOT IN ('$identify') GROUP BY event ORDER BY total DESC, event LIMIT 100",
    (shop) => top(shop, ({ event }) => event, count)
  ],
  [
    "SELECT properties['$os'] AS os, COUNT(*) AS c FROM events WHERE event = '$pageview' GROUP BY os ORDER BY c DESC, os LIMIT 5",
    (shop) => top(views(shop), ({ os }) => os, count)
  ],
  [
    "SELECT person.properties.plan AS plan, count() AS n FROM events WHERE event = 'purchase' GROUP BY plan ORDER BY n DESC, plan",
    (shop) => top(buys(shop), ({ plan }) => plan, count)
  ],
  [
    "SELECT concat(properties.$browser, ' / ', properties.$os) AS client, count() AS n FROM events WHERE event = '$pageview' GROUP BY client ORDER BY n DESC, client LIMIT 20",
    (shop) => top(views(shop), ({ browser, os }) => `${browser} / ${os ?? ''}`, count)
  ],
  [
    "SELECT lower(properties.$browser) AS browser, count() AS n FROM events WHERE event = '$pageview' GROUP BY browser ORDER BY n DESC, browser",
    (shop) => top(views(shop), ({ browser }) => browser.toLowerCase(), count)
  ],
  [
    "SELECT domain(properties.$current_url) AS host, count() AS n FROM events WHERE event = '$pageview' GROUP BY host ORDER BY n DESC, host",
    (shop) => top(views(shop), ({ url }) => new URL(url ?? '').hostname, count)
  ],
  [
    "SELECT replaceRegexpOne(properties.$current_url, '\\\\?.*$', '') AS page, count() AS n FROM events WHERE event = '$pageview' GROUP BY page ORDER BY n DESC, page LIMIT 7",
    (shop) => top(views(shop), ({ url }) => url?.split('?')[0] ?? null, count).slice(0, 7)
  ],
  [
    "SELECT multiIf(properties.$os = 'iOS', 'phone', properties.$os IN ('Windows', 'Mac OS X'), 'desktop', 'other') AS device, count() AS n FROM events WHERE event = '$pageview' GROUP BY device ORDER BY n DESC, device",
    (shop) => {
      const kinds: Record<string, string> = {
        iOS: 'phone',
        Windows: 'desktop',
        'Mac OS X': 'desktop'
      }
      return top(views(shop), ({ os }) => kinds[os ?? ''] ?? 'other', count)
    }
  ],
  [
    "SELECT if(position(properties.$pathname, '/docs') > 0, 'docs', 'site') AS part, count() AS n, uniq(person_id) FROM events WHERE event = '$pageview' GROUP BY part ORDER BY n DESC, part",
    (shop) =>
      top(views(shop), ({ path }) => (path?.includes('/docs') ? 'docs' : 'site'), count, persons)
  ],
  [
    "SELECT properties.$pathname AS path, count() AS n FROM events WHERE event = '$pageview' GROUP BY path HAVING n > 20 ORDER BY n DESC, path",
    (shop) => top(views(shop), ({ path }) => path, count).filter(([, n]) => Number(n) > 20)
  ],
  [
    "SELECT properties.$pathname AS path, count() AS n FROM events WHERE event = '$pageview' GROUP BY path ORDER BY n DESC, path LIMIT 2 OFFSET 1",
    (shop) => top(views(shop), ({ path }) => path, count).slice(1, 3)
  ],
  [
    "SELECT properties.$browser AS browser, round(countIf(event = 'purchase') * 100.0 / uniq(person_id), 1) AS rate FROM events WHERE event != '$identify' GROUP BY browser ORDER BY rate DESC, browser",
    (shop) =>
      top(
        shop,
        ({ browser }) => browser,
        (some) => rounded((buys(some).length * 100) / Number(persons(some)), 1)
      )
  ],
  [
    "SELECT properties.$geoip_country_code AS country, sum(properties.price) AS revenue FROM events WHERE event = 'purchase' GROUP BY country ORDER BY revenue DESC, country LIMIT 10",
    (shop) => top(buys(shop), ({ country }) => country, sum(price))
  ],
  [
    "SELECT properties.$browser AS browser, avg(properties.price) AS a, min(properties.price), max(properties.price) FROM events WHERE event = 'purchase' GROUP BY browser ORDER BY a DESC, browser",
    (shop) =>
      top(
        buys(shop),
        ({ browser }) => browser,
        mean(price),
        (some) => Math.min(...numbers(some, price)),
        (some) => Math.max(...numbers(some, price))
      )
  ],
  [
    "SELECT properties.$os AS os, quantile(0.9)(properties.price) AS p90, median(properties.price) FROM events WHERE event = 'purchase' GROUP BY os ORDER BY p90 DESC, os",
    (shop) => top(buys(shop), ({ os }) => os, quantile(0.9, price), quantile(0.5, price))
  ],
  [
    "SELECT event, max(timestamp) AS last_seen FROM events WHERE event != '$identify' GROUP BY event ORDER BY last_seen DESC, event",
    (shop) => top(shop, ({ event }) => event, last)
  ],
  [
    "SELECT properties.utm_source AS source, count(DISTINCT properties.$session_id) AS sessions FROM events WHERE event = '$pageview' GROUP BY source ORDER BY sessions DESC, source",
    (shop) =>
      top(
        views(shop),
        ({ utm }) => utm,
        distinct(({ session }) => session)
      )
  ],
  [
    "SELECT properties.$pathname AS path, count() AS n FROM events WHERE startsWith(properties.$pathname, '/docs/') GROUP BY path ORDER BY n DESC, path",
    (shop) =>
      top(
        shop.filter(({ path }) => path?.startsWith('/docs/')),
        ({ path }) => path,
        count
      )
  ],
  [
    "SELECT properties.$pathname AS path, count() AS n FROM events WHERE path LIKE '/blog/%\\\\%' OR path ILIKE '%CHECKOUT' GROUP BY path ORDER BY n DESC, path",
    (shop) =>
      top(
        shop.filter(({ path }) => path === '/blog/100%' || path === '/Checkout'),
        ({ path }) => path,
        count
      )
  ],
  [
    "SELECT properties.$referring_domain AS r, count() AS n FROM events WHERE event = '$pageview' AND properties.$referring_domain NOT LIKE '%google%' GROUP BY r ORDER BY n DESC, r",
    (shop) =>
      top(
        views(shop).filter(({ referrer }) => !referrer?.includes('google')),
        ({ referrer }) => referrer,
        count
      )
  ],
  [
    "SELECT properties.$geoip_country_code AS c, count() AS n FROM events WHERE c IN ('DE', 'AT') AND event IN ('$pageview', 'signup') GROUP BY c ORDER BY n DESC, c",
    (shop) =>
      top(
        shop.filter(
          ({ event, country }) =>
            (event === '$pageview' || event === 'signup') && (country === 'DE' || country === 'AT')
        ),
        ({ country }) => country,
        count
      )
  ],
  [
    "SELECT toString(properties.price) AS price, count() AS n FROM events WHERE event = 'purchase' GROUP BY price ORDER BY n DESC, price",
    (shop) => top(buys(shop), (sold) => String(sold.price), count)
  ],
  [
    'SELECT properties.qty AS qty, count() AS n FROM events WHERE toFloat(properties.qty) >= 2 GROUP BY qty ORDER BY n DESC, qty',
    (shop) =>
      top(
        buys(shop).filter(({ qty }) => Number(qty || 'x') >= 2),
        ({ qty }) => qty,
        count
      )
  ],
  [
    "SELECT trim(concat(' ', properties.$browser, ' ')) AS b, countIf(isNotNull(properties.$os)) AS n FROM events WHERE event != '$identify' GROUP BY b ORDER BY n DESC, b",
    (shop) =>
      top(
        shop,
        ({ browser }) => browser,
        only(({ os }) => os !== null)
      )
  ],
  [
    "SELECT properties.$browser AS browser, argMin(properties.$pathname, timestamp) AS entry, count() AS n FROM events WHERE event = '$pageview' GROUP BY browser ORDER BY browser",
    (shop) =>
      ordered(
        grouped(
          views(shop),
          ({ browser }) => browser,
          (some) => {
            const begin = Math.min(...some.map(({ at }) => at))
            const paths = some.filter(({ at }) => at === begin).map(({ path }) => path ?? '')
            return paths.sort()[0] ?? null
          },
          count
        ),
        1
      )
  ],
  [
    "SELECT properties.$browser, properties.$geoip_country_code, count() FROM events WHERE event = '$pageview' GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 8",
    (shop) =>
      ordered(
        grouped(views(shop), ({ browser, country }) => [browser, country], count),
        -3,
        1,
        2
      ).slice(0, 8)
  ]
]

const TOTALS: Asked[] = [
  ["SELECT count() FROM events WHERE event = '$pageview'", totals(only(isView))],
  [
    "SELECT count(*) AS total, count(DISTINCT person_id) AS users FROM events WHERE event != '$identify'",
    totals(count, persons)
  ],
  [
    "SELECT countIf(event = '$pageview') AS views, countIf(event = 'purchase') AS orders, countIf(event = 'signup') AS signups FROM events",
    totals(
      only(isView),
      only(isBuy),
      only(({ event }) => event === 'signup')
    )
  ],
  [
    "SELECT uniqIf(person_id, timestamp > now() - INTERVAL 1 DAY) AS dau, uniqIf(person_id, timestamp > now() - INTERVAL 7 DAY) AS wau, uniqIf(person_id, timestamp > now() - INTERVAL 30 DAY) AS mau FROM events WHERE event != '$identify'",
    totals(
      only((sold) => daysAgo(sold) < 1, persons),
      only((sold) => daysAgo(sold) < 7, persons),
      only((sold) => daysAgo(sold) < 30, persons)
    )
  ],
  [
    "SELECT sum(properties.price), avg(properties.price), min(properties.price), max(properties.price) FROM events WHERE event = 'purchase'",
    totals(
      only(isBuy, sum(price)),
      only(isBuy, mean(price)),
      (shop) => Math.min(...numbers(shop, price)),
      (shop) => Math.max(...numbers(shop, price))
    )
  ],
  [
    'SELECT median(properties.price), quantile(0.95)(properties.price) FROM events',
    totals(quantile(0.5, price), quantile(0.95, price))
  ],
  [
    "SELECT countIf(timestamp >= now() - INTERVAL 7 DAY) AS this_week, countIf(timestamp < now() - INTERVAL 7 DAY AND timestamp >= now() - INTERVAL 14 DAY) AS before FROM events WHERE event = '$pageview'",
    totals(
      only((sold) => isView(sold) && daysAgo(sold) <= 7),
      only((sold) => isView(sold) && daysAgo(sold) > 7 && daysAgo(sold) <= 14)
    )
  ],
  [
    "SELECT count() FROM events WHERE event = '$pageview' AND timestamp >= today()",
    totals(only((sold) => isView(sold) && dayOf(sold) >= '2026-03-04'))
  ],
  [
    "SELECT count() FROM events WHERE toDate(timestamp) = '2026-03-01' AND event != '$identify'",
    totals(only((sold) => dayOf(sold) === '2026-03-01'))
  ],
  [
    "SELECT count() FROM events WHERE timestamp BETWEEN '2026-02-20' AND '2026-03-01'",
    totals(
      only((sold) => dayOf(sold) >= '2026-02-20' && sold.at <= Date.parse('2026-02-28T23:00:00Z'))
    )
  ],
  [
    "SELECT count() FROM events WHERE timestamp >= toDateTime('2026-02-25 12:00:00') AND timestamp < toDateTime('2026-03-01T00:00:00Z')",
    totals(
      only(
        ({ at }) =>
          at >= Date.parse('2026-02-25T11:00:00Z') && at < Date.parse('2026-03-01T00:00:00Z')
      )
    )
  ],
  [
    'SELECT count(DISTINCT properties.$session_id), count(properties.$session_id) FROM events',
    totals(
      distinct(({ session }) => session),
      only(({ session }) => session !== null)
    )
  ],
  [
    "SELECT uniq(distinct_id), uniq(person_id) FROM events WHERE event != '$identify'",
    totals(
      distinct(({ id }) => id),
      persons
    )
  ],
  [
    "SELECT countIf(properties.vip), countIf(NOT properties.vip), countIf(properties.vip IS NULL AND event = 'purchase') FROM events",
    totals(
      only(({ vip }) => vip === true),
      only(({ vip }) => vip === false),
      () => 0
    )
  ],
  [
    'SELECT count() FROM events WHERE properties.price > 10 AND properties.vip = true',
    totals(only(({ price: own, vip }) => (own ?? 0) > 10 && vip === true))
  ],
  [
    "SELECT sum(toFloat(properties.qty)), countIf(toInt(properties.qty) IS NULL) FROM events WHERE event = 'purchase'",
    totals(
      only(
        isBuy,
        sum(({ qty }) => (/^\d+$/.test(qty ?? '') ? Number(qty) : null))
      ),
      only((sold) => isBuy(sold) && !/^\d+$/.test(sold.qty ?? ''))
    )
  ],
  [
    "SELECT sum(properties.price * toFloat(properties.qty)) FROM events WHERE event = 'purchase'",
    totals(
      only(
        isBuy,
        sum(({ price: own, qty }) =>
          /^\d+$/.test(qty ?? '') && own !== null ? own * Number(qty) : null
        )
      )
    )
  ],
  [
    "SELECT count() FROM events WHERE properties.$os IS NULL AND event != '$identify'",
    totals(only(({ os }) => os === null))
  ],
  [
    "SELECT countIf(properties.$os != 'iOS'), countIf(properties.$os = 'iOS') FROM events WHERE event != '$identify'",
    totals(
      only(({ os }) => os !== 'iOS'),
      only(({ os }) => os === 'iOS')
    )
  ],
  [
    "SELECT min(timestamp), max(timestamp) FROM events WHERE event = 'signup'",
    totals(
      only(({ event }) => event === 'signup', first),
      only(({ event }) => event === 'signup', last)
    )
  ],
  [
    "SELECT count(), sum(properties.price), avg(properties.price), any(event) FROM events WHERE event = 'never'",
    () => [[0, null, null, '']]
  ],
  [
    'SELECT topK(2)(properties.$geoip_country_code) FROM events',
    (shop) => [
      [
        top(
          shop.filter(({ country }) => country !== null),
          ({ country }) => country,
          count
        )
          .slice(0, 2)
          .map(([country = null]) => country)
      ]
    ]
  ],
  [
    "SELECT count() FROM events WHERE person.properties.email LIKE '%@x.io' AND event = 'purchase'",
    totals(only((sold) => isBuy(sold) && sold.email?.endsWith('@x.io') === true))
  ],
  [
    "SELECT dateDiff('day', min(timestamp), max(timestamp)) FROM events WHERE event != '$identify'",
    (shop) => [
      [
        (Date.parse(dayOf({ at: Math.max(...shop.map(({ at }) => at)) })) -
          Date.parse(dayOf({ at: Math.min(...shop.map(({ at }) => at)) }))) /
          86_400_000
      ]
    ]
  ],
  [
    'SELECT count() FROM events WHERE event = {event} AND properties.$geoip_country_code IN {countries}',
    totals(only((sold) => isView(sold) && (sold.country === 'DE' || sold.country === 'US')))
  ],
  [
    "SELECT count(), uniq(person_id) FROM events WHERE event = '$pageview' AND {filters}",
    totals(
      only((sold) => isView(sold) && sold.browser === 'Chrome' && dayOf(sold) >= '2026-02-20'),
      only(
        (sold) => isView(sold) && sold.browser === 'Chrome' && dayOf(sold) >= '2026-02-20',
        persons
      )
    )
  ],
  [
    "SELECT 100 * uniqIf(person_id, event = 'purchase') / nullIf(uniqIf(person_id, event = 'signup'), 0) FROM events",
    (shop) => [
      [
        (100 * Number(persons(buys(shop)))) /
          Number(persons(shop.filter(({ event }) => event === 'signup')))
      ]
    ]
  ]
]

const SERIES: Asked[] = [
  [
    "SELECT toDate(timestamp) AS day, count() AS n FROM events WHERE event = '$pageview' GROUP BY day ORDER BY day",
    (shop) => series(dayOf, count)(views(shop))
  ],
  [
    "SELECT toStartOfDay(timestamp) AS day, count(), uniq(person_id) FROM events WHERE event = '$pageview' AND timestamp > now() - INTERVAL 14 DAY GROUP BY day ORDER BY day",
    (shop) =>
      series(
        (sold) => `${dayOf(sold)}T00:00:00+01:00`,
        count,
        persons
      )(views(shop).filter((sold) => daysAgo(sold) < 14))
  ],
  [
    "SELECT toStartOfWeek(timestamp) AS week, uniq(person_id) AS wau FROM events WHERE event != '$identify' GROUP BY week ORDER BY week",
    (shop) => series((sold) => weekOf(sold, 'sunday'), persons)(shop)
  ],
  [
    "SELECT toStartOfWeek(timestamp, 1) AS week, count() FROM events WHERE event = 'purchase' GROUP BY week ORDER BY week",
    (shop) => series((sold) => weekOf(sold, 'monday'), count)(buys(shop))
  ],
  [
    "SELECT toStartOfMonth(timestamp) AS month, count(), sum(properties.price) FROM events WHERE event = 'purchase' GROUP BY month ORDER BY month",
    (shop) => series((sold) => `${dayOf(sold).slice(0, 7)}-01`, count, sum(price))(buys(shop))
  ],
  [
    "SELECT formatDateTime(timestamp, '%Y-%m-%d') AS day, count() FROM events WHERE event = 'signup' GROUP BY day ORDER BY day DESC LIMIT 5",
    (shop) =>
      ordered(
        grouped(
          shop.filter(({ event }) => event === 'signup'),
          dayOf,
          count
        ),
        -1
      ).slice(0, 5)
  ],
  [
    "SELECT toHour(timestamp) AS hour, count() AS n FROM events WHERE event = '$pageview' GROUP BY hour ORDER BY hour",
    (shop) => series(hourOf, count)(views(shop))
  ],
  [
    "SELECT toDayOfWeek(timestamp) AS weekday, count() FROM events WHERE event = '$pageview' GROUP BY weekday ORDER BY weekday",
    (shop) => series((sold) => new Date(dayOf(sold)).getUTCDay() || 7, count)(views(shop))
  ],
  [
    "SELECT toDate(timestamp) AS d, countIf(event = '$pageview') AS v, countIf(event = 'purchase') AS p FROM events WHERE timestamp >= '2026-02-20' GROUP BY d ORDER BY d",
    (shop) =>
      series(dayOf, only(isView), only(isBuy))(shop.filter((sold) => dayOf(sold) >= '2026-02-20'))
  ],
  [
    "SELECT toDate(timestamp) AS d, properties.$browser AS b, count() AS n FROM events WHERE event = '$pageview' GROUP BY d, b ORDER BY d, b LIMIT 200",
    (shop) =>
      ordered(
        grouped(views(shop), (sold) => [dayOf(sold), sold.browser], count),
        1,
        2
      )
  ],
  [
    'SELECT toStartOfHour(timestamp) AS h, count() FROM events WHERE timestamp > now() - INTERVAL 2 DAY GROUP BY h ORDER BY h',
    (shop) =>
      series(
        (sold) => `${dayOf(sold)}T${String(hourOf(sold)).padStart(2, '0')}:00:00+01:00`,
        count
      )(shop.filter((sold) => daysAgo(sold) < 2))
  ],
  [
    "SELECT toDate(toTimeZone(timestamp, 'UTC')) AS d, count() FROM events WHERE event = '$pageview' GROUP BY d ORDER BY d",
    (shop) => series(({ at }) => new Date(at).toISOString().slice(0, 10), count)(views(shop))
  ],
  [
    "SELECT toDate(timestamp) AS timestamp, uniq($session_id) AS s FROM events WHERE event = '$pageview' AND $session_id != '' AND timestamp >= toDate('2026-02-18') GROUP BY timestamp ORDER BY timestamp",
    (shop) =>
      series(
        dayOf,
        distinct(({ session }) => session)
      )(views(shop).filter((sold) => sold.session !== null && dayOf(sold) >= '2026-02-18'))
  ],
  [
    "SELECT dateTrunc('month', timestamp) AS m, uniq(person_id) FROM events WHERE event != '$identify' GROUP BY m ORDER BY m DESC",
    (shop) =>
      ordered(
        grouped(shop, (sold) => `${dayOf(sold).slice(0, 7)}-01`, persons),
        -1
      )
  ]
]

const PER_PERSON: Asked[] = [
  [
    "SELECT person.properties.email AS email, count() AS n, min(timestamp) AS first, max(timestamp) AS last FROM events WHERE event != '$identify' GROUP BY email ORDER BY n DESC, email",
    (shop) => top(shop, ({ email }) => email, count, first, last)
  ],
  [
    "SELECT person.properties.email AS email, count() AS n FROM events WHERE event = 'purchase' AND email IS NOT NULL GROUP BY email HAVING n >= 3 ORDER BY n DESC, email LIMIT 10",
    (shop) =>
      top(
        buys(shop).filter(({ email }) => email !== null),
        ({ email }) => email,
        count
      )
        .filter(([, n]) => Number(n) >= 3)
        .slice(0, 10)
  ],
  [
    "SELECT distinct_id, max(timestamp) AS last_seen FROM events WHERE event != '$identify' GROUP BY distinct_id HAVING last_seen < now() - INTERVAL 1 DAY ORDER BY last_seen, distinct_id",
    (shop) => {
      const rows = [...Map.groupBy(shop, ({ id }) => id)].map(([id, some]) => ({
        id,
        at: Math.max(...some.map(({ at }) => at))
      }))
      return rows
        .filter(({ at }) => daysAgo({ at }) > 1)
        .sort((a, b) => a.at - b.at || compare(a.id, b.id))
        .map(({ id, at }) => [id, printed(at)])
    }
  ],
  [
    "SELECT lower(person.properties.email) AS email, uniq($session_id) AS sessions FROM events WHERE $session_id != '' GROUP BY email ORDER BY sessions DESC, email LIMIT 5",
    (shop) =>
      top(
        shop.filter(({ session }) => session !== null),
        ({ email }) => email?.toLowerCase() ?? null,
        distinct(({ session }) => session)
      ).slice(0, 5)
  ],
  [
    "SELECT distinct_id, argMax(event, timestamp) AS last_event FROM events WHERE event != '$identify' AND distinct_id LIKE 'p1%' GROUP BY distinct_id ORDER BY distinct_id",
    (shop) =>
      ordered(
        [
          ...Map.groupBy(
            shop.filter(({ id }) => id.startsWith('p1')),
            ({ id }) => id
          )
        ].map(([id, some]) => {
          const at = Math.max(...some.map((sold) => sold.at))
          return [
            id,
            some
              .filter((sold) => sold.at === at)
              .map(({ event }) => event)
              .sort()[0] ?? null
          ]
        }),
        1
      )
  ],
  [
    "SELECT person.properties.plan AS plan, uniq(person.id) AS persons, countIf(event = 'purchase') FROM events WHERE event != '$identify' GROUP BY plan ORDER BY plan",
    (shop) =>
      ordered(
        grouped(shop, ({ plan }) => plan, persons, only(isBuy)),
        1
      )
  ]
]

/** The events of sessions, by their ids. */
const sessionsOf = (shop: Sold[]): Map<string | null, Sold[]> =>
  Map.groupBy(
    shop.filter(({ session }) => session !== null),
    ({ session }) => session
  )

const SUBQUERIES: Asked[] = [
  [
    "SELECT count() AS sessions, countIf(n = 1) AS bounces FROM (SELECT $session_id AS s, count() AS n FROM events WHERE event = '$pageview' AND s != '' GROUP BY s)",
    (shop) => {
      const sizes = [...sessionsOf(views(shop)).values()].map((some) => some.length)
      return [[sizes.length, sizes.filter((size) => size === 1).length]]
    }
  ],
  [
    "SELECT first_day, count() AS new_users FROM (SELECT person_id, min(toDate(timestamp)) AS first_day FROM events WHERE event != '$identify' GROUP BY person_id) GROUP BY first_day ORDER BY first_day",
    (shop) => {
      const days = [...Map.groupBy(shop, ({ person }) => person).values()].map(
        (some) => some.map(dayOf).sort()[0] ?? ''
      )
      return ordered(
        [...Map.groupBy(days, (day) => day)].map(([day, some]) => [day, some.length]),
        1
      )
    }
  ],
  [
    "SELECT entry, count() AS n FROM (SELECT properties.$session_id AS s, argMin(properties.$pathname, timestamp) AS entry FROM events WHERE event = '$pageview' AND s IS NOT NULL GROUP BY s) GROUP BY entry ORDER BY n DESC, entry",
    (shop) => {
      const entries = [...sessionsOf(views(shop)).values()].map((some) => {
        const at = Math.min(...some.map((sold) => sold.at))
        return (
          some
            .filter((sold) => sold.at === at)
            .map(({ path }) => path ?? '')
            .sort()[0] ?? ''
        )
      })
      return ordered(
        [...Map.groupBy(entries, (entry) => entry)].map(([entry, some]) => [entry, some.length]),
        -2,
        1
      )
    }
  ],
  [
    "SELECT count(), uniq(person_id) FROM events WHERE event = '$pageview' AND person_id IN (SELECT person_id FROM events WHERE event = 'signup')",
    (shop) => {
      const members = new Set(
        shop.filter(({ event }) => event === 'signup').map(({ person }) => person)
      )
      const own = views(shop).filter(({ person }) => members.has(person))
      return [[own.length, persons(own)]]
    }
  ],
  [
    "WITH carts AS (SELECT distinct_id, sum(properties.price) AS spent FROM events WHERE event = 'purchase' GROUP BY distinct_id) SELECT count(), avg(spent), max(spent) FROM carts WHERE spent > 0",
    (shop) => {
      const spent = [...Map.groupBy(buys(shop), ({ id }) => id).values()]
        .map((some) => total(numbers(some, price)))
        .filter((one) => one > 0)
      return [[spent.length, total(spent) / spent.length, Math.max(...spent)]]
    }
  ]
]

/** Statements about the tables of persons and of sessions. */
const OF_TABLES: Asked[] = [
  [
    'SELECT properties.plan AS plan, count() AS n FROM persons GROUP BY plan ORDER BY n DESC, plan',
    (shop) =>
      ordered(
        [...Map.groupBy(buyersOf(shop), ({ plan }) => plan)].map(([plan, some]) => [
          plan,
          some.length
        ]),
        -2,
        1
      )
  ],
  [
    'SELECT properties.email AS email, properties.plan, created_at FROM persons WHERE email IS NOT NULL ORDER BY created_at DESC, email LIMIT 10',
    (shop) =>
      buyersOf(shop)
        .filter(({ email }) => email !== null)
        .sort((a, b) => b.at - a.at || compare(a.email, b.email))
        .map(({ email, plan, at }) => [email, plan, printed(at)])
        .slice(0, 10)
  ],
  [
    'SELECT countIf(properties.email IS NULL), uniq(id), countIf(created_at > now() - INTERVAL 30 DAY) FROM persons',
    (shop) => {
      const all = buyersOf(shop)
      return [
        [
          all.filter(({ email }) => email === null).length,
          all.length,
          all.filter((one) => daysAgo(one) < 30).length
        ]
      ]
    }
  ],
  [
    "SELECT count(), uniq(person_id) FROM events WHERE event = '$pageview' AND person_id IN (SELECT id FROM persons WHERE properties.plan = 'pro')",
    (shop) => {
      const pro = buyersOf(shop).filter(({ plan }) => plan === 'pro')
      const members = new Set(pro.map(({ person }) => person))
      const own = views(shop).filter(({ person }) => members.has(person))
      return [[own.length, persons(own)]]
    }
  ],
  [
    'SELECT count(), avg($session_duration), max($pageview_count), countIf($is_bounce) FROM sessions',
    (shop) => {
      const visits = visitsOf(shop)
      return [
        [
          visits.length,
          total(visits.map(({ seconds }) => seconds)) / visits.length,
          Math.max(...visits.map((one) => one.views)),
          visits.filter(({ isBounce }) => isBounce).length
        ]
      ]
    }
  ],
  [
    'SELECT $pageview_count AS views, count() AS n FROM sessions GROUP BY views ORDER BY n DESC, views',
    (shop) =>
      ordered(
        [...Map.groupBy(visitsOf(shop), (one) => one.views)].map(([count, some]) => [
          count,
          some.length
        ]),
        -2,
        1
      )
  ],
  [
    "SELECT toDate($start_timestamp) AS day, count(), max($session_duration) FROM sessions WHERE $start_timestamp >= '2026-02-15' GROUP BY day ORDER BY day",
    (shop) =>
      ordered(
        [...Map.groupBy(visitsOf(shop), dayOf)].map(([day, some]) => [
          day,
          some.length,
          Math.max(...some.map(({ seconds }) => seconds))
        ]),
        1
      ).filter(([day]) => String(day) >= '2026-02-15')
  ],
  [
    "SELECT session.$pageview_count AS views, uniq($session_id) AS s FROM events WHERE event = 'purchase' AND $session_id != '' GROUP BY views ORDER BY s DESC, views",
    (shop) => {
      const bought = new Set(buys(shop).map(({ session }) => session))
      const visits = visitsOf(shop).filter(({ id }) => bought.has(id))
      return ordered(
        [...Map.groupBy(visits, (one) => one.views)].map(([count, some]) => [count, some.length]),
        -2,
        1
      )
    }
  ]
]

const inOrder = (shop: Sold[]): Sold[] =>
  shop.toSorted((a, b) => b.at - a.at || compare(a.id, b.id) || compare(a.event, b.event))

const RAW: Asked[] = [
  [
    'SELECT timestamp, event, distinct_id FROM events ORDER BY timestamp DESC, distinct_id, event LIMIT 10',
    (shop) =>
      inOrder(shop)
        .slice(0, 10)
        .map(({ at, event, id }) => [printed(at), event, id])
  ],
  [
    "SELECT event, distinct_id, properties.price, properties.vip FROM events WHERE event = 'purchase' ORDER BY timestamp DESC, distinct_id LIMIT 5 OFFSET 5",
    (shop) =>
      inOrder(buys(shop))
        .slice(5, 10)
        .map(({ event, id, price: own, vip }) => [event, id, own, vip])
  ],
  [
    'SELECT DISTINCT properties.$geoip_country_code AS c FROM events WHERE c IS NOT NULL ORDER BY c',
    (shop) =>
      [...new Set(shop.map(({ country }) => country))]
        .filter((one) => one !== null)
        .sort()
        .map((one) => [one])
  ],
  [
    "SELECT person.properties.email, properties.$current_url, $session_id FROM events WHERE event = 'purchase' AND properties.price = 99.99 ORDER BY timestamp, distinct_id LIMIT 100",
    (shop) =>
      byTime(buys(shop))
        .filter(({ price: own }) => own === 99.99)
        .map(({ email, url, session }) => [email, url, session ?? ''])
  ]
]

const PROBES: Asked[] = [
  ['SELECT 1', () => [[1]]],
  ['select 1;', () => [[1]]],
  ["SELECT 1 AS ok, 'x' AS name", () => [[1, 'x']]],
  ['SELECT 1 -- is the key good?', () => [[1]]]
]

export const ASKED: readonly Asked[] = [
  ...TOP_LISTS,
  ...TOTALS,
  ...SERIES,
  ...PER_PERSON,
  ...SUBQUERIES,
  ...OF_TABLES,
  ...RAW,
  ...PROBES
]

/** What the statements' placeholders stand for. */
export const BESIDE = {
  values: { event: '$pageview', countries: ['DE', 'US'] },
  filters: {
    dateRange: { date_from: '2026-02-20' },
    properties: [{ key: '$browser', value: 'Chrome', operator: 'exact', type: 'event' }]
  }
}
