import * as z from 'zod'
import { DATE_GRAMMAR } from '../calendar/dates.ts'
import { OPERATORS } from '../properties/filter.ts'
import { MAX_PATTERN } from '../properties/pattern.ts'
import { SESSION_PROPERTIES } from '../properties/session.ts'
import { sizeOf } from '../properties/size.ts'
import type { ListSettings } from '../recordings/list/query.ts'
import { METADATA_KEYS, RECORDING_KEYS } from '../recordings/list/schemas.ts'
import { askModel, type Engine, TIME_LIMIT_MS } from './engine.ts'
import { type FilterAnswer, writeFilters } from './filters.ts'
import { refusalOf } from './list-query.ts'
import type { Model } from './model.ts'
import { type Examples, prove } from './pattern.ts'
import { type RegexAnswer, writeRegex } from './regex.ts'
import { FILTER_TYPES, type FiltersInput } from './schemas.ts'

const RegexDraft = z.object({ result: z.enum(['success', 'error']), output: z.string() })

const REGEX_INSTRUCTIONS = `You write regular expressions for the analytics of websites: for URLs, paths and the values of \
properties. Write RE2 syntax, without lookaround and backreferences, at most ${MAX_PATTERN} characters; the pattern is \
searched for anywhere in a text unless it is anchored. It has to match every text in "examples" and none in \
"counter_examples". "request" says what it is for. Answer {"result":"success","output":"<the pattern>"}, or, if there can \
be no such pattern, {"result":"error","output":"<one sentence that says why>"}.`

/**
 * Returns the model's pattern if it passes the test, otherwise the pattern of the built-in rules.
 * If the model says why there can be no pattern and the rules find none either, returns the model's
 * reason.
 */
export async function suggestRegex(
  model: Model | undefined,
  text: string,
  given: Examples,
  timeLimitMs = TIME_LIMIT_MS
): Promise<{ engine: Engine; answer: RegexAnswer }> {
  const draft =
    model &&
    (await askModel(
      model,
      {
        instructions: REGEX_INSTRUCTIONS,
        data: { request: text, ...given },
        schema: RegexDraft,
        faultOf: (answer) =>
          answer.result === 'success' ? faultOf(answer.output, given) : undefined
      },
      timeLimitMs
    ))
  const proof = draft?.result === 'success' && prove(draft.output, given)
  if (draft && proof) {
    const { matched, rejected } = proof
    return { engine: 'model', answer: { output: draft.output, matched, rejected } }
  }
  const answer = writeRegex(text, given)
  return draft && 'fault' in answer
    ? { engine: 'model', answer: { fault: draft.output } }
    : { engine: 'built-in', answer }
}

/** Largest product of a pattern's size and all examples' characters; 15 million take 0.2 s. */
const MAX_PROOF = 15_000_000

function faultOf(pattern: string, given: Examples): string | undefined {
  const characters = [...given.examples, ...given.counter_examples].join('').length
  if (pattern.length <= MAX_PATTERN && sizeOf(pattern) * characters > MAX_PROOF) {
    return 'The pattern is too large to be tested on the examples: use lower counts such as {10}.'
  }
  const proof = pattern === '' ? undefined : prove(pattern, given)
  if (!proof) {
    return `The pattern is empty, longer than ${MAX_PATTERN} characters, too large, or not valid RE2 syntax.`
  }
  const [missed] = proof.missed
  if (missed === undefined) {
    return undefined
  }
  return given.examples.includes(missed)
    ? `The pattern does not match the example ${missed}`
    : `The pattern matches the counter-example ${missed}`
}

type Messages = NonNullable<FiltersInput['messages']>

/**
 * Schema of a model's answer to a request for filters: a group of groups of filters, as PostHog's
 * own model returns it.
 */
const FiltersDraft = z.object({
  result: z.enum(['filter', 'question']),
  question: z.string(),
  date_from: z.string(),
  date_to: z.string(),
  filter_group: z.object({
    type: z.enum(['AND', 'OR']),
    values: z.array(
      z.object({
        type: z.enum(['AND', 'OR']),
        values: z.array(
          z.object({
            key: z.string(),
            type: z.enum(FILTER_TYPES),
            operator: z.enum(OPERATORS),
            value: z.array(z.string())
          })
        )
      })
    )
  })
})

const SESSION_KEYS = SESSION_PROPERTIES.map(({ name }) => name).join(', ')

const filterInstructions = ({ timezone }: ListSettings, now: Date): string =>
  `You turn what a user asks for into filters of a list of session recordings. It is ${now.toISOString()}; dates are in ${timezone}. Types of filters: "recording" with the keys ${RECORDING_KEYS.join(', ')} (seconds, counts, URLs); "event_metadata" with the key ${METADATA_KEYS.join(', ')}, the name of an event in the session; "event" with a property of an event, such as $browser, $os, $device_type, $geoip_country_code; "person" with a property of the person, such as email; "session" with the keys ${SESSION_KEYS}. Dates: ${DATE_GRAMMAR} Leave date_from and date_to empty when nothing is said of them. Answer with "result":"filter", or, if you cannot tell what is meant, with "result":"question", your question in "question", and empty filters.`

/**
 * Returns the model's filters if the list of recordings accepts them, otherwise the filters of the
 * built-in rules. If the model asks a question and the rules have one too, returns the model's
 * question.
 */
export async function suggestFilters(
  model: Model | undefined,
  messages: Messages,
  {
    project,
    now,
    timeLimitMs = TIME_LIMIT_MS
  }: { project: ListSettings; now: Date; timeLimitMs?: number }
): Promise<{ engine: Engine; answer: FilterAnswer }> {
  const draft =
    model &&
    (await askModel(
      model,
      {
        instructions: filterInstructions(project, now),
        data: { messages },
        schema: FiltersDraft,
        faultOf: (answer) => {
          if (answer.result === 'filter') {
            return refusalOf({ ...answer, distinct_ids: [] }, project, now)
          }
          return answer.question.trim() === '' ? 'The question is empty.' : undefined
        }
      },
      timeLimitMs
    ))
  if (draft?.result === 'filter') {
    const { date_from, date_to, filter_group } = draft
    return { engine: 'model', answer: { date_from, date_to, distinct_ids: [], filter_group } }
  }
  const answer = writeChecked(messages.at(-1)?.content ?? '', project, now)
  return draft && 'question' in answer
    ? { engine: 'model', answer: { question: draft.question } }
    : { engine: 'built-in', answer }
}

/**
 * Returns the filters of the built-in rules. If the list of recordings would refuse them, returns
 * its error as a question.
 */
function writeChecked(text: string, project: ListSettings, now: Date): FilterAnswer {
  const answer = writeFilters(text, project, now)
  const refusal = 'question' in answer ? undefined : refusalOf(answer, project, now)
  return refusal === undefined ? answer : { question: refusal }
}
