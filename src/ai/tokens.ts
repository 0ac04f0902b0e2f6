import type { Calendar } from '../calendar/buckets.ts'
import { type Days, dayRules, NUMBER, readNumber } from './days.ts'
import { namedValues } from './named-values.ts'
import { quote } from './pattern.ts'
import type { FilterJson as Filter } from './schemas.ts'
import { phrase, QUOTED, quotedText, type Rule } from './words.ts'

type Operator = Filter['operator']

/**
 * A token of a request; `filters.ts` builds a tree of tokens. `repeat` makes the same filter for
 * another text, in requests such as `visited /a or /b`.
 */
export type Token =
  | { is: 'filter'; filter: Filter; repeat?: (text: string) => Filter }
  | { is: 'days'; days: Days }
  | { is: 'distinct id'; distinctId: string }
  | { is: 'text'; text: string }
  | { is: 'and' | 'or' | 'nor' | 'comma' | 'not' | 'open' | 'close' | 'noise' }
  | { is: 'word' }

const COMPARISONS: [words: string, operator: Operator][] = [
  ['at least|a minimum of|no(?:t)? (?:less|fewer|shorter) than|>=', 'gte'],
  ['at most|up to|a maximum of|no(?:t)? (?:more|longer) than|<=', 'lte'],
  ['(?:more|longer|greater|bigger|higher) than|over|above|exceeding|>', 'gt'],
  ['(?:less|fewer|shorter|smaller|lower) than|under|below|<', 'lt'],
  ['exactly|precisely|=', 'exact']
]
const COMPARISON = COMPARISONS.map(([words]) => words).join('|')
const operatorOf = (words: string): Operator =>
  COMPARISONS.find(([source]) =>
    new RegExp(`^(?:${source})$`, 'i').test(words.replaceAll(/\s+/g, ' '))
  )?.[1] ?? 'exact'

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600 }
const UNIT = 's(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?'
const toSeconds = (number: string, unit: string): string =>
  String(
    Math.round(readNumber(number) * (SECONDS[unit.charAt(0).toLowerCase()] ?? 1) * 1000) / 1000
  )

const COUNTS: [words: string, key: string][] = [
  ['(?:mouse )?clicks?', 'click_count'],
  ['key ?(?:presses|press|strokes?)', 'keypress_count'],
  ['mouse (?:activity|movements?|moves|events?)', 'mouse_activity_count'],
  ['(?:console |java ?script |js )?errors?', 'console_error_count'],
  ['(?:console )?warnings?', 'console_warn_count'],
  ['console logs?(?: lines?)?|log lines?', 'console_log_count'],
  ['page ?views?', '$pageview_count']
]
const COUNT = COUNTS.map(([words]) => words).join('|')
const countOf = (words: string): string =>
  COUNTS.find(([source]) =>
    new RegExp(`^(?:${source})$`, 'i').test(words.replaceAll(/\s+/g, ' '))
  )?.[1] ?? ''

const recording = (key: string, operator: Operator, ...value: string[]): Filter => ({
  key,
  type: 'recording',
  operator,
  value
})
const session = (key: string, operator: Operator, ...value: string[]): Filter => ({
  key,
  type: 'session',
  operator,
  value
})
/** A filter on a count. Page views are a property of the session, all other counts are properties of the recording. */
const counted = (words: string, operator: Operator, ...value: string[]): Filter => {
  const key = countOf(words)
  return (key.startsWith('$') ? session : recording)(key, operator, ...value)
}

/** Words for events that posthog-js captures automatically. */
const EVENTS: [words: string, name: string][] = [
  ['rage ?clicks?|rage-clicks?', '$rageclick'],
  ['dead ?clicks?', '$dead_click'],
  ['page ?views?', '$pageview'],
  ['exceptions?', '$exception']
]
const event = (name: string): Filter => ({
  key: 'event',
  type: 'event_metadata',
  operator: 'exact',
  value: [name]
})

const visited = (text: string): Filter => recording('visited_page', 'icontains', text)
const started = (text: string): Filter => recording('start_url', 'icontains', text)

const TEXT = String.raw`"[^"]+"|'[^']+'|“[^”]+”|\x60[^\x60]+\x60`
const ADDRESS = String.raw`https?://\S+?|/\S*?`
const NAME = String.raw`${TEXT}|[\w$][\w$.-]*`
const unquote = (text: string): string => text.replace(/^["'“`](.*)["'”`]$/su, '$1')

const PROPERTY_OPERATORS: [words: string, operator: Operator][] = [
  ['(?:is|was) not|isn.t|!=|does not equal', 'is_not'],
  ['does not contain|doesn.t contain', 'not_icontains'],
  ['contains|includes', 'icontains'],
  ['(?:is|was)? ?(?:(?:more|greater|higher) than|over|above)|>', 'gt'],
  ['(?:is|was)? ?(?:(?:less|lower|smaller|fewer) than|under|below)|<', 'lt'],
  ['(?:is|was)? ?at least|>=', 'gte'],
  ['(?:is|was)? ?at most|<=', 'lte'],
  ['is|was|equals|=|:', 'exact']
]

const EMAIL = String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`
const email = (operator: Operator, value: string): Filter => ({
  key: 'email',
  type: 'person',
  operator,
  value: [value]
})

const EMAILS = '(?:(?:with|whose) )?(?:the |an? )?e-?mails?(?: address(?:es)?)?'

const rule = (source: string, read: (match: string[]) => Token): Rule<Token> => [
  phrase(source),
  (match) => read([...match].map((part) => part ?? ''))
]
const filter = (
  source: string,
  read: (match: string[]) => Filter,
  repeat?: (text: string) => Filter
): Rule<Token> =>
  rule(source, (match) => ({ is: 'filter', filter: read(match), ...(repeat && { repeat }) }))
const means = (source: string, is: 'and' | 'or' | 'nor' | 'not' | 'noise'): Rule<Token> =>
  rule(source, () => ({ is }))

const LASTING =
  '(?:that )?(?:last(?:s|ed|ing)?|took|takes|taking|are|is|were|with a duration|duration)(?: of)?'

const DURATIONS: Rule<Token>[] = [
  filter(
    `(?:(?:that )?(?:are|were|is|was) )?(active|inactive|idle)(?: time)?(?: (?:for|of))? (${COMPARISON}) (${NUMBER}) ?(${UNIT})`,
    ([, what = '', comparison = '', number = '', unit = '']) =>
      recording(
        what.toLowerCase() === 'active' ? 'active_seconds' : 'inactive_seconds',
        operatorOf(comparison),
        toSeconds(number, unit)
      )
  ),
  filter(
    `(?:${LASTING} )?between (${NUMBER}) ?(${UNIT})? and (${NUMBER}) ?(${UNIT})(?: long)?`,
    ([, low = '', lowUnit = '', high = '', unit = '']) =>
      recording('duration', 'between', toSeconds(low, lowUnit || unit), toSeconds(high, unit))
  ),
  filter(
    `(?:${LASTING} )?(${COMPARISON}) (${NUMBER}) ?(${UNIT})(?: long)?`,
    ([, comparison = '', number = '', unit = '']) =>
      recording('duration', operatorOf(comparison), toSeconds(number, unit))
  ),
  filter(
    `(?:${LASTING} )?(${NUMBER}) ?(${UNIT}) or (more|longer|less|shorter)`,
    ([, number = '', unit = '', than = '']) =>
      recording('duration', /more|longer/i.test(than) ? 'gte' : 'lte', toSeconds(number, unit))
  )
]

const NUMBERS: Rule<Token>[] = [
  filter(`between (${NUMBER}) and (${NUMBER}) (${COUNT})`, ([, low = '', high = '', what = '']) =>
    counted(what, 'between', String(readNumber(low)), String(readNumber(high)))
  ),
  filter(`(${COMPARISON}) (${NUMBER}) (${COUNT})`, ([, comparison = '', number = '', what = '']) =>
    counted(what, operatorOf(comparison), String(readNumber(number)))
  ),
  filter(`(${NUMBER}) or (more|fewer|less) (${COUNT})`, ([, number = '', than = '', what = '']) =>
    counted(what, /more/i.test(than) ? 'gte' : 'lte', String(readNumber(number)))
  ),
  filter(
    `(?:an )?activity score (?:of |is )?(${COMPARISON}) (${NUMBER})`,
    ([, comparison = '', number = '']) =>
      recording('activity_score', operatorOf(comparison), String(readNumber(number)))
  ),
  ...EVENTS.map(([words, name]) => filter(words, () => event(name))),
  filter('(?:that )?bounced?|bounces', () => session('$is_bounce', 'exact', 'true')),
  filter(`(\\d+) (${COUNT})`, ([, number = '', what = '']) => counted(what, 'exact', number)),
  filter(`(?:(?:some|any|an?) )?(${COUNT})`, ([, what = '']) => counted(what, 'gt', '0'))
]

const PAGE = '(?:the )?(?:pages?|urls?|paths?)'
const PAGES: Rule<Token>[] = [
  filter(
    `(?:start(?:ed|s|ing)?|beg(?:a|i|u)n(?:s|ning)?|enter(?:ed|ing)|land(?:ed|ing))(?: (?:on|at|from|with|in))?(?: ${PAGE})? (${TEXT}|${ADDRESS})`,
    ([, text = '']) => started(unquote(text)),
    started
  ),
  filter(
    `${PAGE}(?: (?:that )?(?:contain(?:s|ing)?|includ(?:es|ing)|with|like))? (${TEXT}|${ADDRESS})`,
    ([, text = '']) => visited(unquote(text)),
    visited
  ),
  filter(
    `${PAGE} (?:that )?(?:contain(?:s|ing)?|includ(?:es|ing)) (\\S+?)`,
    ([, text = '']) => visited(text),
    visited
  ),
  filter(
    `(?:visit(?:ed|ing)?|view(?:ed|ing)?|saw|opened)(?: ${PAGE})? (${TEXT})`,
    ([, text = '']) => visited(unquote(text)),
    visited
  ),
  filter(`(?:the )?([\\w-]+|/\\S*?) page`, ([, text = '']) => visited(text), visited),
  filter(`(${ADDRESS})`, ([, text = '']) => visited(text), visited)
]

const HAPPENINGS: Rule<Token>[] = [
  filter(
    `(?:(?:did|do|does|perform(?:ed|s)?|trigger(?:ed|s)?|fired?|sent|send|with|had) )?(?:(?:the|an?) )?(?:custom )?events?(?: (?:named|called))? (${NAME})`,
    ([, name = '']) => event(unquote(name)),
    event
  ),
  filter(
    `(?:did|do|does|perform(?:ed|s)?|trigger(?:ed|s)?|fired) (${TEXT})`,
    ([, name = '']) => event(unquote(name)),
    event
  )
]

/**
 * Rules for a distinct id or an e-mail that the request calls by this name. They come before all
 * other rules.
 */
const IDENTITIES: Rule<Token>[] = [
  rule(`(?:with )?(?:the )?distinct[ _]id (?:is )?(${NAME}|\\S+?)`, ([, id = '']) => ({
    is: 'distinct id',
    distinctId: unquote(id)
  })),
  filter(
    `(?:with )?(?:the |an? )?e-?mails?(?: address(?:es)?)? (?:is )?(${EMAIL})`,
    ([, text = '']) => email('exact', text)
  ),
  filter(
    `${EMAILS} (?:that )?(?:contain(?:s|ing)?|includ(?:es|ing)) (${NAME}|@\\S+?)`,
    ([, text = '']) => email('icontains', unquote(text))
  )
]

const PROPERTIES: Rule<Token>[] = [
  filter(
    `${EMAILS} (?:that )?(at|end(?:s|ing)? (?:with|in)) (${NAME}|[@.]\\S+?)`,
    ([, place = '', text = '']) =>
      email(
        'regex',
        `(?i)${quote(unquote(text).replace(/^@?/, /^at$/i.test(place) ? '@' : '$&'))}$`
      )
  ),
  filter(
    `(${EMAIL})`,
    ([, text = '']) => email('exact', text),
    (text) => email('exact', text)
  ),
  filter(
    `(?:(whose|(?:with )?(?:the )?(?:person|user)(?: property)?)|(?:where|with)?(?: the)? ?(?:event )?property|where) (${NAME}) (is set|is not set|exists)`,
    ([, person = '', key = '', test = '']) => ({
      key: unquote(key),
      type: person ? 'person' : 'event',
      operator: /not/i.test(test) ? 'is_not_set' : 'is_set',
      value: []
    })
  ),
  ...PROPERTY_OPERATORS.map(
    ([words, operator]): Rule<Token> =>
      rule(
        `(?:(whose|(?:with )?(?:the )?(?:person|user)(?: property)?)|(?:where|with)?(?: the)? ?(?:event )?property|where) (${NAME}) ?(?:${words}) ?(${TEXT}|[^\\s,()]+?)`,
        ([, person = '', key = '', value = '']) => {
          const repeat = (text: string): Filter => ({
            key: unquote(key),
            type: person ? 'person' : 'event',
            operator,
            value: [text]
          })
          return { is: 'filter', filter: repeat(unquote(value)), repeat }
        }
      )
  )
]

const WORDS: Rule<Token>[] = [
  [QUOTED, (match) => ({ is: 'text', text: quotedText(match) })],
  [/,/y, () => ({ is: 'comma' })],
  [/\(/y, () => ({ is: 'open' })],
  [/\)/y, () => ({ is: 'close' })],
  means(
    '(?:(?:did|do|does|have|has|had|was|were|is|are) )?(?:not|never)|(?:did|do|does|have|has|was|were|is|are)n.t|without|except(?: for)?|excluding|no|neither',
    'not'
  ),
  means('and|but|as well as|also', 'and'),
  means('or', 'or'),
  means('(?:and )?nor', 'nor')
]

const NOISE = means(
  'an?|the|all|any|every|some|show|find|get|give|list|see|watch|search|me|us|i|we|want|need|would|like|to|please|for|of|in|on|at|by|from|using|use|used|uses|with|' +
    'having|has|have|had|that|which|who|whom|where|whose|when|were|was|are|is|be|been|during|recordings?|sessions?|replays?|videos?|users?|people|persons?|visitors?|customers?|someone|' +
    'somebody|anyone|every(?:one|body|thing)|they|their|there|visit(?:ed|ing|s)?|view(?:ed|ing)?|went|go(?:ing)?|came|come|coming|browsers?|browsing|devices?|os|operating systems?|country|countries|only|' +
    'recorded|happened|happening|logged|located|running|based|started|long',
  'noise'
)

/**
 * Returns the rules that turn a request into tokens. Their order matters: at each position the
 * first matching rule is used.
 */
export const tokenRules = (calendar: Calendar, now: Date): Rule<Token>[] => [
  ...IDENTITIES,
  ...DURATIONS,
  ...NUMBERS,
  ...WORDS,
  ...dayRules(calendar, now),
  ...HAPPENINGS,
  ...PAGES,
  ...PROPERTIES,
  ...namedValues().map(
    ({ pattern, key, toValue }): Rule<Token> => [
      pattern,
      ([, name = '']) => ({
        is: 'filter',
        filter: { key, type: 'event', operator: 'exact', value: [toValue(name)] }
      })
    ]
  ),
  NOISE
]
