import type { Calendar } from '../calendar/buckets.ts'
import { dayRules } from './days.ts'
import { namedValues } from './named-values.ts'
import { DURATIONS, NUMBERS } from './number-rules.ts'
import { quote } from './pattern.ts'
import type { FilterJson as Filter } from './schemas.ts'
import {
  ADDRESS,
  event,
  type FilterOperator,
  filter,
  means,
  NAME,
  recording,
  rule,
  TEXT,
  type Token,
  unquote
} from './token.ts'
import { QUOTED, quotedText, type Rule } from './words.ts'

const visited = (text: string): Filter => recording('visited_page', 'icontains', text)
const started = (text: string): Filter => recording('start_url', 'icontains', text)

/** Matches what stands between a property and its value: words, or a sign, `price>5`. */
const between = (words: string, signs?: string): string =>
  signs ? `(?: (?:${words}) | ?(?:${signs}) ?)` : ` (?:${words}) `

/** The first operator that matches is used: `>=` comes before `>`. */
const PROPERTY_OPERATORS: [pattern: string, operator: FilterOperator][] = [
  [between('(?:is|was) not|isn.t|does not equal', '!='), 'is_not'],
  [between('does not contain|doesn.t contain'), 'not_icontains'],
  [between('contains|includes'), 'icontains'],
  [between('(?:(?:is|was) )?at least', '>='), 'gte'],
  [between('(?:(?:is|was) )?at most', '<='), 'lte'],
  [between('(?:(?:is|was) )?(?:(?:more|greater|higher) than|over|above)', '>'), 'gt'],
  [between('(?:(?:is|was) )?(?:(?:less|lower|smaller|fewer) than|under|below)', '<'), 'lt'],
  [between('is|was|equals', '=|:'), 'exact']
]

/** Words that may be a name: `a`, `it` or `in` are none, unless they are in quotes. */
const NO_NAME =
  '(?!(?:an?|the|any|every|each|some|this|that|these|those|no|all|one|more|in|on|at|of|from|to|with|without|by|for|and|or|but|not|' +
  'is|are|was|were|who|which|where|whose|when|while|today|yesterday|last|past|since|before|after|during|within|between|per|' +
  'it|he|she|they|there|we|you|i|someone|somebody|anyone|anybody|everyone|everybody|nobody)(?![\\w$-]|\\.\\w))'

/**
 * Matches before a word that may be a property's value: words such as `a` or `in` are none if
 * another word follows, unless they are in quotes.
 */
const NO_VALUE = '(?!(?:an?|the|in|on|at|of|from|to|with|without|by|for|not) )'

const EMAIL_ADDRESS = String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`
const email = (operator: FilterOperator, value: string): Filter => ({
  key: 'email',
  type: 'person',
  operator,
  value: [value]
})

/** Matches the words for an e-mail: `whose e-mail address`. */
const EMAIL_WORDS = '(?:(?:with|whose) )?(?:the |an? )?e-?mails?(?: address(?:es)?)?'

const PAGE_WORDS = '(?:the )?(?:pages?|urls?|paths?)'

const VISITED = 'visit(?:ed|ing)?|view(?:ed|ing)?|saw|opened'

/** Rules for pages: `started on /pricing`, `page contains checkout`, `the checkout page`. */
const PAGES: Rule<Token>[] = [
  filter(
    `(?:start(?:ed|s|ing)?|beg(?:a|i|u)n(?:s|ning)?|enter(?:ed|ing)|land(?:ed|ing))(?: (?:on|at|from|with|in))?(?: ${PAGE_WORDS})? (${TEXT}|${ADDRESS})`,
    ([, text = '']) => started(unquote(text)),
    started
  ),
  filter(
    `${PAGE_WORDS}(?: (?:that )?(?:contain(?:s|ing)?|includ(?:es|ing)|with|like))? (${TEXT}|${ADDRESS})`,
    ([, text = '']) => visited(unquote(text)),
    visited
  ),
  filter(
    `${PAGE_WORDS} (?:that )?(?:contain(?:s|ing)?|includ(?:es|ing)) (\\S+?)`,
    ([, text = '']) => visited(text),
    visited
  ),
  filter(
    `(?:${VISITED})(?: ${PAGE_WORDS})? (${TEXT})`,
    ([, text = '']) => visited(unquote(text)),
    visited
  ),
  filter(`(?:the )?(${NO_NAME}[\\w-]+|/\\S*?) page`, ([, text = '']) => visited(text), visited),
  filter(`(${ADDRESS})`, ([, text = '']) => visited(text), visited)
]

/** Rules for events by name: `did the event signed_up`, `triggered "signed up"`. */
const EVENTS: Rule<Token>[] = [
  filter(
    `(?:(?:did|do|does|perform(?:ed|s)?|trigger(?:ed|s)?|fired?|sent|send|with|had) )?(?:(?:the|an?) )?(?:custom )?events?(?: (?:named|called))? (${NO_NAME}(?:${NAME}))`,
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
 * Rules for a distinct id or an e-mail that the request introduces as such: `distinct id user-1`,
 * `e-mail ada@example.com`. They come before all other rules.
 */
const IDENTITIES: Rule<Token>[] = [
  rule(`(?:with )?(?:the )?distinct[ _]id (?:is )?(${NAME}|\\S+?)`, ([, id = '']) => ({
    is: 'distinct id',
    distinctId: unquote(id)
  })),
  filter(
    `(?:with )?(?:the |an? )?e-?mails?(?: address(?:es)?)? (?:is )?(${EMAIL_ADDRESS})`,
    ([, text = '']) => email('exact', text)
  ),
  filter(
    `${EMAIL_WORDS} (?:that )?(?:contain(?:s|ing)?|includ(?:es|ing)) (${NAME}|@\\S+?)`,
    ([, text = '']) => email('icontains', unquote(text))
  )
]

/**
 * Matches the start of a filter on a property, up to the property's name: `whose plan`,
 * `where price`. The first group is empty for a property of an event; the second group is the name.
 * `user agent` is no property of a person.
 */
const PROPERTY = `(?:(whose|(?:with )?(?:the )?(?:person|user(?! agent))(?: property)?)|(?:where|with)?(?: the)? ?(?:event )?property|where) (${NO_NAME}(?:${NAME}))`

/** Rules for properties: `e-mail ends with @example.com`, `where price is over 100`. */
const PROPERTIES: Rule<Token>[] = [
  filter(
    `${EMAIL_WORDS} (?:that )?(at|end(?:s|ing)? (?:with|in)) (${NAME}|[@.]\\S+?)`,
    ([, place = '', text = '']) => {
      const end = unquote(text)
      const isDomain = place.toLowerCase() === 'at' && !end.startsWith('@')
      return email('regex', `(?i)${quote(isDomain ? `@${end}` : end)}$`)
    }
  ),
  filter(
    `(${EMAIL_ADDRESS})`,
    ([, text = '']) => email('exact', text),
    (text) => email('exact', text)
  ),
  filter(`${PROPERTY} (is set|is not set|exists)`, ([, person = '', key = '', test = '']) => ({
    key: unquote(key),
    type: person ? 'person' : 'event',
    operator: /not/i.test(test) ? 'is_not_set' : 'is_set',
    value: []
  })),
  ...PROPERTY_OPERATORS.map(
    ([pattern, operator]): Rule<Token> =>
      rule(
        `${PROPERTY}${pattern}(${TEXT}|${NO_VALUE}[^\\s,()]+?)`,
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
    'recorded|happened|happening|logged|located|running|based|started',
  'noise'
)

/** Returns a rule for words in exactly this case: `US` does not match `us`. */
const inCase = (source: string, token: Token): Rule<Token> => [
  new RegExp(`(?:${source})(?=[,;:!?.)]*(?:\\s|$))`, 'uy'),
  () => token
]

const AMERICAN: Token = {
  is: 'filter',
  filter: { key: '$geoip_country_code', type: 'event', operator: 'exact', value: ['US'] }
}

/** Rules for the United States: `US`, `the us`, `from us`, `u.s.`; but `show us` is noise. */
const AMERICA: Rule<Token>[] = [
  rule('(?:the )?u\\.s\\.?(?:a\\.?)?|the us|(?:from|in) us', () => AMERICAN),
  inCase('US', AMERICAN)
]

/**
 * Rules for words that `NOISE` would drop although they may change what is meant, so they count as
 * not understood: codes of countries that look like other words, and `only` where it excludes other
 * pages or events.
 */
const DOUBTFUL: Rule<Token>[] = [
  inCase('AT|BE|BY|IN|IS|ME|TO', { is: 'word' }),
  rule(`only (?:${VISITED})|(?:${VISITED}) only`, () => ({ is: 'word' }))
]

/**
 * Returns the rules that turn a request into tokens. Their order matters: at each position the
 * first matching rule is used.
 */
export const tokenRules = (calendar: Calendar, now: Date): Rule<Token>[] => [
  ...IDENTITIES,
  ...DURATIONS,
  ...NUMBERS,
  // `NO` after `from` or `in` may mean Norway, not a negation, so it counts as not understood.
  inCase('(?:[Ff]rom|[Ii]n)\\s+NO', { is: 'word' }),
  ...WORDS,
  ...dayRules(calendar, now),
  ...EVENTS,
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
  ...AMERICA,
  ...DOUBTFUL,
  NOISE
]
