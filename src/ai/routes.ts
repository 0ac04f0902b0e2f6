import type { Context } from 'hono'
import { allow } from '../access/auth.ts'
import { AppError } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { describe, type Refusal } from '../http/openapi.ts'
import { validateBody } from '../http/validation.ts'
import { log } from '../log.ts'
import { expectOnlyNamesOf, namesNobody, readPersonName } from '../recordings/change.ts'
import type { FilterAnswer, ListFilters } from './filters.ts'
import { toQuery } from './list-query.ts'
import { type Model, type ModelBindings, modelOf } from './model.ts'
import type { RegexAnswer } from './regex.ts'
import { FiltersInput, FiltersJson, RegexInput, RegexJson } from './schemas.ts'
import { findSubject, type NamedVisitor } from './store.ts'
import { writeSubjectRegex } from './subject-regex.ts'

const TAG = 'Session recordings'

const UNKNOWN: Refusal[] = [
  ['does_not_exist', 'Invalid person - object does not exist.', 'person'],
  ['invalid_input', 'A person must be named by `id`, `uuid` or `distinct_ids`.', 'person']
]

const FILTERS = describe({
  id: 'session_recordings_ai_filters',
  mayBeEmpty: true,
  tag: TAG,
  summary: 'Turn a request in English into filters of recordings',
  description: `**Experimental.** Turns the last message into filters of \`GET session_recordings/\`, also as a query string: \
durations, days, counts of clicks, key presses and console messages, browsers, systems, devices, countries, pages, events, \
e-mails and properties, combined with and, or and not. The built-in rules leave nothing out silently: if they do not \
understand a word, \`result\` is \`question\` and names the word. \`person\` or \`distinct_id\` narrows the request to one \
person's recordings; without \`messages\`, it selects all of that person's recordings.

The deployment's language model writes the filters if there is one and the list accepts them, otherwise built-in rules do; \
\`engine\` says which. A model, unlike the rules, may leave words out.`,
  isExperimental: true,
  answers: { 200: { text: 'The filters, or a question to the user.', schema: FiltersJson } },
  refusals: UNKNOWN
})

const REGEX = describe({
  id: 'session_recordings_ai_regex',
  mayBeEmpty: true,
  tag: TAG,
  summary: 'Turn a description in English into a regular expression',
  description: `**Experimental.** Writes a pattern from a description, from examples, or from both. A description says what \
the text starts with, contains, ends with or equals, or which path it is under: a literal text, an e-mail, URL, path, id, \
uuid, date, version or number. \`like …\` adds an example, \`but not …\` a counter-example. With \`person\` or \
\`distinct_id\` alone, the pattern matches that person's ids and URLs.

Patterns have RE2 syntax, which runs in linear time, and are searched for anywhere in a text. They are tested: they match \
all examples and no counter-example. If there is no such pattern, \`result\` is \`error\` and \`output\` says why.

The deployment's language model writes the pattern if there is one and its pattern passes the test, otherwise built-in \
rules do; \`engine\` says which.`,
  isExperimental: true,
  answers: { 200: { text: 'The pattern, or why there is none.', schema: RegexJson } },
  refusals: UNKNOWN
})

export const aiRoutes = createRouter()
  .post(
    '/session_recordings/ai/filters',
    FILTERS,
    allow('session_recording:read'),
    validateBody(FiltersInput),
    async (c) => {
      const { messages, person: given, distinct_id } = c.req.valid('json')
      const { project, now } = c.var
      const person = given !== undefined && namesNobody(given) ? undefined : given
      const isNamed = person !== undefined || distinct_id !== undefined
      if (!messages && !isNamed && given === undefined) {
        throw new AppError('required', 'This field is required.', 'messages')
      }
      if (messages && messages.at(-1)?.content.trim() === '') {
        throw new AppError(
          'blank',
          'This field may not be blank.',
          `messages__${messages.length - 1}__content`
        )
      }
      const subject = isNamed ? await findNamed(c, person, distinct_id) : undefined
      const { suggestFilters } = await loadSuggestions()
      const { engine, answer } = messages
        ? await suggestFilters(await findModel(c), messages, { project, now })
        : { engine: 'built-in' as const, answer: NO_FILTERS }
      return c.json(filtersToJson(engine, answer, subject))
    }
  )
  .post(
    '/session_recordings/ai/regex',
    REGEX,
    allow('session_recording:read'),
    validateBody(RegexInput),
    async (c) => {
      const {
        regex,
        examples = [],
        counter_examples = [],
        person: givenPerson,
        distinct_id
      } = c.req.valid('json')
      const given = { examples, counter_examples }
      const person = givenPerson !== undefined && namesNobody(givenPerson) ? undefined : givenPerson
      const named = person === undefined ? distinct_id && 'distinct_id' : 'person'
      if (regex !== undefined && named) {
        throw new AppError(
          'invalid_input',
          `Send either \`regex\`, which describes the pattern, or \`${named}\`, which names a person; not both.`,
          named
        )
      }
      if (regex === undefined && named) {
        const subject = await findNamed(c, person, distinct_id)
        return c.json(regexToJson('built-in', writeSubjectRegex(subject, given)))
      }
      if (regex === undefined && examples.length === 0) {
        if (givenPerson !== undefined) {
          return c.json(regexToJson('built-in', { fault: NOTHING_DESCRIBED }))
        }
        throw new AppError('required', 'This field is required.', 'regex')
      }
      const { suggestRegex } = await loadSuggestions()
      const { engine, answer } = await suggestRegex(await findModel(c), regex ?? '', given)
      return c.json(regexToJson(engine, answer))
    }
  )

/** Loads the rules and the prompts, which most isolates never need. */
const loadSuggestions = () => import('./suggest.ts')

const NOTHING_DESCRIBED =
  'There is no description: send `regex`, `examples`, or a `person` or `distinct_id` that names a person.'

const NO_FILTERS: ListFilters = {
  date_from: '',
  date_to: '',
  distinct_ids: [],
  filter_group: { type: 'AND', values: [{ type: 'AND', values: [] }] }
}

/**
 * Returns the deployment's model; undefined if there is none or the key has used it too often in
 * this minute.
 */
async function findModel(c: Context<AppEnv>): Promise<Model | undefined> {
  // The generated types of `env` lack bindings that only some deployments have.
  const bindings: ModelBindings = c.env
  const model = modelOf(bindings)
  if (!model) {
    return undefined
  }
  const { success } = await c.env.AI_RATE.limit({ key: String(c.var.key.id) })
  if (!success) {
    log('info', 'model used too often', { project: c.var.project.id, key: c.var.key.id })
  }
  return success ? model : undefined
}

/**
 * Finds the visitor whom a request names by `person`, `distinct_id` or both.
 * @throws does_not_exist, invalid_input
 */
async function findNamed(
  c: Context<AppEnv>,
  person: RegexInput['person'],
  distinctId: string | undefined
): Promise<NamedVisitor> {
  const name = person === undefined ? { distinctId: distinctId ?? '' } : readPersonName(person)
  const found = await findSubject(c.var, name)
  const attr = person === undefined ? 'distinct_id' : 'person'
  if (!found) {
    throw new AppError('does_not_exist', 'Invalid person - object does not exist.', attr)
  }
  if (person !== undefined) {
    expectOnlyNamesOf(found, person)
  }
  if (distinctId !== undefined && !found.distinctIds.includes(distinctId)) {
    throw new AppError('invalid_input', 'This is not a distinct id of the person.', 'distinct_id')
  }
  return found
}

const regexToJson = (engine: RegexJson['engine'], answer: RegexAnswer): RegexJson =>
  'fault' in answer
    ? { result: 'error', engine, data: { output: answer.fault, matched: [], rejected: [] } }
    : { result: 'success', engine, data: answer }

/**
 * Returns the response with filters or a question.
 * @param subject the visitor that the request names by a field. A visitor without a person is
 * filtered by distinct id, so the message cannot name another distinct id as well
 */
function filtersToJson(
  engine: FiltersJson['engine'],
  answer: FilterAnswer,
  subject: NamedVisitor | undefined
): FiltersJson {
  const own = subject && subject.uuid === undefined ? subject.distinctIds : []
  const named = 'question' in answer ? [] : answer.distinct_ids
  const ids = [...new Set([...own, ...named])]
  if ('question' in answer || (own.length > 0 && ids.length > own.length)) {
    const question = 'question' in answer ? answer.question : 'Give only one distinct id.'
    return {
      result: 'question',
      engine,
      data: { question, ...NO_FILTERS, person_uuid: '', query: '' }
    }
  }
  const filters = { ...answer, distinct_ids: ids }
  const uuid = subject?.uuid ?? ''
  const data = { question: '', ...filters, person_uuid: uuid, query: toQuery(filters, uuid) }
  return { result: 'filter', engine, data }
}
