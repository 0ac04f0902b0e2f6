import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeFilters } from '../../../src/ai/filters.ts'
import { refusalOf } from '../../../src/ai/list-query.ts'
import { type FilterJson, GroupJson } from '../../../src/ai/schemas.ts'
import { type ListSettings, readRecordingFilters } from '../../../src/recordings/list/query.ts'
import { FiltersQuery } from '../../../src/recordings/list/schemas.ts'
import { deep } from '../../support/depth.ts'

/** A Saturday. */
const NOW = new Date('2026-11-21T12:00:00Z')
const CALENDAR: ListSettings = { timezone: 'UTC', weekStart: 1, testAccountFilters: [] }

const write = (text: string, calendar = CALENDAR, now = NOW) => writeFilters(text, calendar, now)

/** A filter in one line: `event.$browser exact Firefox|Chrome`; groups as `AND(…; …)`. */
const show = (node: GroupJson | FilterJson): string =>
  'values' in node
    ? `${node.type}(${node.values.map(show).join('; ')})`
    : `${node.type}.${node.key} ${node.operator} ${node.value.join('|')}`.trim()

function shown(text: string, calendar = CALENDAR, now = NOW): string {
  const answer = write(text, calendar, now)
  if ('question' in answer) {
    return `? ${answer.question}`
  }
  expect(answer.filter_group.values).toHaveLength(1)
  const { date_from, date_to, distinct_ids, filter_group } = answer
  const days = date_from || date_to ? `${date_from}..${date_to} ` : ''
  return `${days}${distinct_ids.map((id) => `${id} `).join('')}${filter_group.values.map(show).join('')}`
}

describe('a request', () => {
  it.each([
    ['longer than 5 minutes', 'AND(recording.duration gt 300)'],
    ['sessions between 1 and 5 minutes', 'AND(recording.duration between 60|300)'],
    ['1.5 hours or more', 'AND(recording.duration gte 5400)'],
    ['not longer than 90s', 'AND(recording.duration lte 90)'],
    ['active for more than 30 seconds', 'AND(recording.active_seconds gt 30)'],
    [
      'at least 3 console errors and no clicks',
      'AND(recording.console_error_count gte 3; recording.click_count lte 0)'
    ],
    ['no more than ten key presses', 'AND(recording.keypress_count lte 10)'],
    ['at least 3 page views', 'AND(session.$pageview_count gte 3)'],
    [
      'bounced, with JavaScript errors',
      'AND(session.$is_bounce exact true; recording.console_error_count gt 0)'
    ],
    ['everyone except people from Spain', 'AND(event.$geoip_country_code is_not ES)'],
    ['on the /docs page or the /blog page', 'AND(recording.visited_page icontains /docs|/blog)'],
    ['where price is over 100', 'AND(event.price gt 100)'],
    ['where price >= 5', 'AND(event.price gte 5)'],
    ['where price<=5', 'AND(event.price lte 5)'],
    ['where turnover = 5', 'AND(event.turnover exact 5)'],
    ['whose founder is Ada', 'AND(person.founder exact Ada)'],
    ['between 2 and 5 clicks', 'AND(recording.click_count between 2|5)'],
    ['activity score above 50', 'AND(recording.activity_score gt 50)'],
    [
      'Chrome or Firefox on Windows',
      'AND(event.$browser exact Chrome|Firefox; event.$os exact Windows)'
    ],
    [
      'Chrome, Firefox or Safari, in Germany',
      'AND(event.$browser exact Chrome|Firefox|Safari; event.$geoip_country_code exact DE)'
    ],
    [
      'users from Germany and France but not on Chrome',
      'AND(event.$geoip_country_code exact DE|FR; event.$browser is_not Chrome)'
    ],
    [
      'neither Chrome nor Edge',
      'AND(event.$browser is_not Chrome; event.$browser is_not Microsoft Edge)'
    ],
    ['not Chrome or Edge', 'AND(event.$browser is_not Chrome|Microsoft Edge)'],
    [
      'not visited /a nor errors',
      'AND(recording.visited_page not_icontains /a; recording.console_error_count lte 0)'
    ],
    ['in Turkey, the UK or Côte d’Ivoire', 'AND(event.$geoip_country_code exact TR|GB|CI)'],
    ['Android tablets', 'AND(event.$os exact Android; event.$device_type exact Tablet)'],
    ['iPhones', 'AND(event.$os exact iOS)'],
    ['Chrome OS', 'AND(event.$os exact Chrome OS)'],
    [
      'from Germany or longer than 5 minutes',
      'OR(event.$geoip_country_code exact DE; recording.duration gt 300)'
    ],
    [
      'Firefox and errors or Chrome and clicks',
      'OR(AND(event.$browser exact Firefox; recording.console_error_count gt 0); AND(event.$browser exact Chrome; recording.click_count gt 0))'
    ],
    [
      '(Firefox or errors) and not (Germany or clicks)',
      'AND(OR(event.$browser exact Firefox; recording.console_error_count gt 0); event.$geoip_country_code is_not DE; recording.click_count lte 0)'
    ],
    [
      'visited /pricing and /docs',
      'AND(recording.visited_page icontains /pricing; recording.visited_page icontains /docs)'
    ],
    ['visited /pricing or /docs', 'AND(recording.visited_page icontains /pricing|/docs)'],
    ["didn't visit /checkout", 'AND(recording.visited_page not_icontains /checkout)'],
    ['the checkout page', 'AND(recording.visited_page icontains checkout)'],
    ['pages containing "a b"', 'AND(recording.visited_page icontains a b)'],
    [
      'started on https://shop.example/start',
      'AND(recording.start_url icontains https://shop.example/start)'
    ],
    [
      'did "signed up" but not "paid"',
      'AND(event_metadata.event exact signed up; event_metadata.event is_not paid)'
    ],
    ['events "a", "b" or "c"', 'AND(event_metadata.event exact a|b|c)'],
    ['with rage clicks', 'AND(event_metadata.event exact $rageclick)'],
    ['by ada@example.com', 'AND(person.email exact ada@example.com)'],
    ['e-mails containing ada', 'AND(person.email icontains ada)'],
    ['e-mails ending with .org', String.raw`AND(person.email regex (?i)\.org$)`],
    ['no e-mails at @example.com', String.raw`AND(person.email not_regex (?i)@example\.com$)`],
    ['e-mail address at example.com', String.raw`AND(person.email regex (?i)@example\.com$)`],
    ['whose plan is "pro" or "team"', 'AND(person.plan exact pro|team)'],
    ['users whose plan is not free', 'AND(person.plan is_not free)'],
    ['whose email is not set', 'AND(person.email is_not_set)'],
    ['where $screen_width is greater than 1000', 'AND(event.$screen_width gt 1000)'],
    ['distinct id "anon 1"', 'anon 1 AND()'],
    ['did the event signed_up.', 'AND(event_metadata.event exact signed_up)'],
    ['e-mails at example.com.', String.raw`AND(person.email regex (?i)@example\.com$)`],
    ['sessions from the US', 'AND(event.$geoip_country_code exact US)'],
    ['US or Canada', 'AND(event.$geoip_country_code exact US|CA)'],
    [
      'people in the us, on Chrome',
      'AND(event.$geoip_country_code exact US; event.$browser exact Chrome)'
    ],
    ['from the U.S.', 'AND(event.$geoip_country_code exact US)'],
    ['not from the USA', 'AND(event.$geoip_country_code is_not US)'],
    ['show us errors', 'AND(recording.console_error_count gt 0)'],
    ['IN the last 3 days', '-3d.. AND()'],
    ['a person who is from Germany', 'AND(event.$geoip_country_code exact DE)'],
    ['a user who is not on mobile', 'AND(event.$device_type is_not Mobile)'],
    ['whose user-agent contains bot', 'AND(person.user-agent icontains bot)'],
    ['whose last-name is Ada', 'AND(person.last-name exact Ada)'],
    ['where "it" is not "the end"', 'AND(event.it is_not the end)'],
    ['whose lamp is on', 'AND(person.lamp exact on)'],
    [
      'without errors or warnings',
      'AND(recording.console_error_count lte 0; recording.console_warn_count lte 0)'
    ],
    [
      'no clicks, key presses, or rage clicks and on Chrome',
      'AND(recording.click_count lte 0; recording.keypress_count lte 0; event_metadata.event is_not $rageclick; event.$browser exact Chrome)'
    ],
    [
      'no clicks and errors or warnings',
      'OR(AND(recording.click_count lte 0; recording.console_error_count gt 0); recording.console_warn_count gt 0)'
    ],
    [
      'no errors or longer than 5 minutes',
      'OR(recording.console_error_count lte 0; recording.duration gt 300)'
    ],
    [
      'more than 5 errors or any warnings',
      'OR(recording.console_error_count gt 5; recording.console_warn_count gt 0)'
    ],
    [
      'more than 5 errors or at least 3 warnings',
      'OR(recording.console_error_count gt 5; recording.console_warn_count gte 3)'
    ],
    ['longer than 5 minutes long', 'AND(recording.duration gt 300)'],
    ['only Chrome', 'AND(event.$browser exact Chrome)'],
    ['all recordings', 'AND()']
  ])('%s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['today', '2026-11-21..2026-11-21 AND()'],
    ['from yesterday', '2026-11-20..2026-11-20 AND()'],
    ['in the last 7 days', '-7d.. AND()'],
    ['over the past three hours', '-3h.. AND()'],
    ['last month', '-1m.. AND()'],
    ['2 days ago', '2026-11-19..2026-11-19 AND()'],
    ['a week ago', '2026-11-14..2026-11-14 AND()'],
    ['1 month ago', '2026-10-21..2026-10-21 AND()'],
    ['3 hours ago', '-3h..-3hEnd AND()'],
    ['5 minutes ago', '-5M..-5M AND()'],
    ['on 2026-1-5', '2026-01-05..2026-01-05 AND()'],
    ['after 2026-1-5', '2026-01-06.. AND()'],
    ['before 2026-1-5', '..2026-01-04 AND()'],
    ['since 2026-1-5T10:00:00Z', '2026-01-05T10:00:00Z.. AND()'],
    ['this week', '2026-11-16.. AND()'],
    ['this month', 'mStart.. AND()'],
    ['on Monday', '2026-11-16..2026-11-16 AND()'],
    ['last Saturday', '2026-11-14..2026-11-14 AND()'],
    ['last Friday', '2026-11-20..2026-11-20 AND()'],
    ['since Friday', '2026-11-20.. AND()'],
    ['since 2026-11-01', '2026-11-01.. AND()'],
    ['after 2026-11-30', '2026-12-01.. AND()'],
    ['before 1 March 2026', '..2026-02-28 AND()'],
    ['until March 1st, 2026', '..2026-03-01 AND()'],
    ['between 2026-11-01 and 2026-11-05', '2026-11-01..2026-11-05 AND()'],
    ['since 2026-11-01T10:00:00Z', '2026-11-01T10:00:00Z.. AND()'],
    [
      'Firefox since 2026-11-01 until 2026-11-05',
      '2026-11-01..2026-11-05 AND(event.$browser exact Firefox)'
    ]
  ])('of days: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    'after 31 February 2026',
    'before 2026-02-31',
    'on 31 June 2026',
    '100000 days ago',
    '999999999999 years ago'
  ])('of a date that does not exist, or is too long ago, is refused: %s', (text) => {
    const answer = write(text)

    expect('question' in answer || refusalOf(answer, CALENDAR, NOW)).toContain(
      'must be an ISO date'
    )
  })

  it('of a day in the past covers all of that day', () => {
    const read = (date_from: string, date_to: string) =>
      readRecordingFilters(FiltersQuery.parse({ date_from, date_to }), undefined, CALENDAR, NOW)
    const { from, until } = read('2026-11-19', '2026-11-19')
    const hour = read('-3h', '-3hEnd')

    expect([from, until]).toEqual([Date.UTC(2026, 10, 19), Date.UTC(2026, 10, 20)])
    expect([hour.from, hour.until]).toEqual([Date.UTC(2026, 10, 21, 9), Date.UTC(2026, 10, 21, 10)])
  })

  it('uses the days of the project’s time zone', () => {
    const now = new Date('2026-11-21T23:30:00Z')

    expect(shown('1 day ago', { ...CALENDAR, timezone: 'Europe/Berlin' }, now)).toBe(
      '2026-11-21..2026-11-21 AND()'
    )
    expect(shown('yesterday', { ...CALENDAR, timezone: 'Europe/Berlin' }, now)).toBe(
      '2026-11-21..2026-11-21 AND()'
    )
    expect(shown('this week', { ...CALENDAR, timezone: 'Europe/Berlin', weekStart: 0 }, now)).toBe(
      '2026-11-22.. AND()'
    )
  })
})

const guide = readFileSync(join(import.meta.dirname, '../../../docs/ai.md'), 'utf8')
const rows = [...guide.matchAll(/^\| [a-z, ]+ \| (.+) \| .+ \|$/gm)].map(
  ([, examples = '']) => examples
)
const examplesOfGuide = rows.slice(1).flatMap((examples) => examples.split(' · '))

it('finds the examples in docs/ai.md', () => {
  expect(rows).toHaveLength(9)
})

it.each(examplesOfGuide)('understands the example in docs/ai.md: %s', (example) => {
  expect(shown(example)).not.toMatch(/^\?|^AND\(\)$/)
})

describe('a question', () => {
  it.each([
    ['frustrated users on Firefox', 'Not understood: "frustrated". '],
    ['recordings that last at least half', 'Not understood: "last", "least", "half". '],
    ['Firefox on Tuesdays with cake', 'Not understood: "Tuesdays", "cake". '],
    ['Firefox and', 'Not understood: "and". '],
    ['and Firefox', 'Not understood: "and". '],
    ['(Firefox', 'Not understood: "(". '],
    ['viewed a page in Chrome', 'Not understood: "page". '],
    ['sessions with events in the last 3 days', 'Not understood: "events". '],
    ['did an event today', 'Not understood: "did", "event". '],
    ['"signed up"', 'Not understood: ""signed up"". '],
    ['not', 'Not understood: "not". '],
    ['sessions from AT on Chrome', 'Not understood: "AT". '],
    ['visitors BY country', 'Not understood: "BY". '],
    ['users in IN', 'Not understood: "IN". '],
    ['from NO on Chrome', 'Not understood: "from NO". '],
    ['user agent contains bot', 'Not understood: "agent", "contains", "bot". '],
    ['where user agent contains bot', 'Not understood: "agent", "contains", "bot". '],
    ['where it is slow', 'Not understood: "it", "slow". '],
    ['where plan is not in Germany', 'Not understood: "plan". '],
    ['more than 5 errors or warnings', 'Not understood: "or warnings". '],
    ['at least 5 errors, warnings or clicks', 'Not understood: ", warnings", "or clicks". '],
    ['long sessions', 'Not understood: "long". '],
    ['visited only /pricing', 'Not understood: "visited only". '],
    ['only visited /pricing', 'Not understood: "only visited". '],
    ['not where price is greater than 5', 'Not understood: "not". '],
    [
      'longer than 9007199254740993 seconds',
      '9007199254740993 has too many digits to be compared exactly'
    ],
    ['yesterday or Firefox', 'Days and distinct ids apply to the whole request'],
    ['not yesterday', 'Days and distinct ids apply to the whole request'],
    ['today and yesterday', 'Days and distinct ids apply to the whole request']
  ])('is returned for: %s', (text, expected) => {
    expect(write(text)).toEqual({ question: expect.stringContaining(expected) })
  })
})

it('writeFilters never fails, and the list accepts its filters or refuses them with a sentence', () => {
  const words = [
    'Firefox',
    'Chrome',
    'Germany',
    'not',
    'and',
    'or',
    ',',
    '(',
    ')',
    'without',
    'longer than',
    '5',
    'minutes',
    'visited',
    '/a',
    'event',
    '"x"',
    'yesterday',
    'since',
    '2026-13-45',
    'ada@example.com',
    'whose',
    'plan',
    'is',
    'errors',
    'distinct id',
    'between',
    'did'
  ]
  const text = fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 25 })
    .map((all) => all.join(' '))
  fc.assert(
    fc.property(text, (request) => {
      const answer = write(request)
      if ('question' in answer) {
        expect(answer.question).not.toBe('')
      } else {
        expect(GroupJson.safeParse(answer.filter_group).error).toBeUndefined()
        expect(refusalOf(answer, CALENDAR, NOW) ?? 'Taken.').toMatch(/\.$/)
      }
    }),
    deep(100)
  )
})

it('answers requests of 2,000 characters', () => {
  for (const piece of [
    '(',
    'not ',
    '"',
    'Firefox or ',
    '(Firefox or ',
    'a, ',
    '/a ',
    'whose a is b '
  ]) {
    const answer = write(piece.repeat(2000 / piece.length))
    if ('question' in answer) {
      expect(answer.question).not.toBe('')
    } else {
      expect(GroupJson.safeParse(answer.filter_group).error).toBeUndefined()
    }
  }
})
