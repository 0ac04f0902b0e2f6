import {
  DAYS,
  identityOf,
  MIDNIGHT,
  personPropertiesOf,
  type Row,
  type Volume,
  versionAt,
  versionId
} from './events.ts'
import type { Runtime } from './runtime.ts'
import { randomFrom } from './sessions.ts'

const DAY = 86_400_000

/** The name of the events that visits consist of. */
export const VIEW = '$pageview'

/** Views of a visit, on average. */
const VIEWS = 4

/** Visits that go on at the same time: each view belongs to one of them. */
const OPEN = 16

const PAGES = 200
const REFERRERS = ['$direct', '$direct', 'www.google.com', 'news.example.org', 'www.bing.com']
const COUNTRIES = ['DE', 'DE', 'AT', 'CH', 'US', 'GB', 'FR']
const BROWSERS = ['Chrome', 'Chrome', 'Safari', 'Firefox', 'Edge', 'Opera']
const DEVICES = ['Desktop', 'Desktop', 'Mobile', 'Tablet']

/** What all views of a visit have in common. */
type Visit = { session: string; person: number; identity: number; properties: object }

/** Generates page views in time order from a seed, in visits of one person: all runs of one day get the same views. */
export function* drawViews({ views = 0, persons, isShort }: Volume): Generator<Row> {
  const random = randomFrom(7)
  const pick = (n: number) => Math.floor(random() * n)
  const hex = () => random().toString(16).slice(2, 14).padEnd(12, '0')
  const word = () => random().toString(36).slice(2, 12)
  const begin = (timestamp: number): Visit => {
    const person = 1 + pick(persons)
    const time = timestamp.toString(16).padStart(12, '0')
    return {
      // A UUID of version 7, as SDKs make them.
      session: `${time.slice(0, 8)}-${time.slice(8)}-7${hex().slice(0, 3)}-8${hex().slice(0, 3)}-${hex()}`,
      person,
      identity: identityOf(person, persons, random),
      properties: {
        $referring_domain: REFERRERS[pick(REFERRERS.length)],
        $geoip_country_code: COUNTRIES[pick(COUNTRIES.length)],
        $browser: BROWSERS[pick(BROWSERS.length)],
        $device_type: DEVICES[pick(DEVICES.length)]
      }
    }
  }
  const open: Visit[] = []
  for (let i = 0; i < views; i += 1) {
    const share = (i + random()) / views
    const timestamp = MIDNIGHT - DAYS * DAY + Math.floor(share * DAYS * DAY)
    if (open.length === 0 || random() < 1 / VIEWS) {
      open.push(begin(timestamp))
      open.splice(0, open.length - OPEN)
    }
    const visit = open[pick(open.length)] ?? begin(timestamp)
    const { person } = visit
    // Some pages are visited much more often than others.
    const $pathname = `/pages/${Math.floor(PAGES * random() ** 3)}`
    const n = versionAt(person, share)
    yield {
      event: VIEW,
      timestamp,
      identity: visit.identity,
      person,
      version: versionId(person, n),
      session: visit.session,
      properties: JSON.stringify({
        $pathname,
        ...visit.properties,
        ...(!isShort && {
          $current_url: `https://www.example.org${$pathname}`,
          $referrer: `https://www.example.org/search?q=${word()}+${word()}`,
          $session_id: visit.session,
          title: `Page ${word()} of the ${word()} department`,
          $screen_width: 1_920,
          $screen_height: 1_080,
          $lib: 'web',
          $lib_version: '1.297.0'
        })
      }),
      person_properties: personPropertiesOf(person, n)
    }
  }
}

/** Stores the sessions of the page views that are stored, as capture does. */
export async function storeSessionsOfViews({ db }: Runtime, projectId: number): Promise<void> {
  const views = `from events where project_id = ?1
    and event_id = (select id from event_names where project_id = ?1 and name = '${VIEW}') group by session_id`
  // A column that is not aggregated comes from the row with the minimum or the maximum.
  await db
    .prepare(`
      insert into sessions (project_id, session_id, identities, start_time, end_time, events, pageviews, autocaptures, screens,
                            entry_key, entry, exit_key, exit)
      select ?1, session_id, json_array(identity), first, last, views, views, 0, 0, '0', entry, '1', exit
      from (select session_id, identity, min(timestamp) as first,
                   json_object('$entry_pathname', properties ->> '$."$pathname"',
                               '$entry_current_url', 'https://www.example.org' || (properties ->> '$."$pathname"'),
                               '$entry_hostname', 'www.example.org',
                               '$entry_referring_domain', properties ->> '$."$referring_domain"') as entry ${views})
      join (select session_id, max(timestamp) as last, count(*) as views,
                   json_object('$end_pathname', properties ->> '$."$pathname"',
                               '$end_current_url', 'https://www.example.org' || (properties ->> '$."$pathname"'),
                               '$end_hostname', 'www.example.org') as exit ${views}) using (session_id)`)
    .bind(projectId)
    .run()
}
