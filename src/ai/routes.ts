import type { Context } from 'hono'
import { AppError } from '../errors.ts'
import { allow } from '../http/auth.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { describe, type Refusal } from '../http/openapi.ts'
import { validateBody } from '../http/validation.ts'
import { log } from '../log.ts'
import { namesNobody, readPersonName } from '../recordings/change.ts'
import type { FilterAnswer, ListFilters } from './filters.ts'
import { toQuery } from './list.ts'
import { type Model, type ModelBindings, modelOf } from './model.ts'
import type { RegexAnswer } from './regex.ts'
import { FiltersInput, FiltersJson, RegexInput, RegexJson } from './schemas.ts'
import { findSubject, type Subject } from './store.ts'
import { writeSubjectRegex } from './subject.ts'
import { suggestFilters, suggestRegex } from './suggest.ts'

const TAG = 'Session recordings'

const UNKNOWN: Refusal[] = [
  ['does_not_exist', 'Invalid person - object does not exist.', 'person'],
  ['invalid_input', 'A person must be named by `id`, `uuid` or `distinct_ids`.', 'person']
]

const FILTERS = describe({
  id: 'session_recordings_ai_filters',
  mayBeEmpty: true,
  tag: TAG,
  summary: 'Write filters of recordings',
  description: `**Experimental.** What the last message asks for as filters of \`GET session_recordings/\`, also as its \
query string: durations, days, counts of clicks, key presses and console messages, browsers, systems, devices, countries, \
pages, events, e-mails and properties, with and, or and not. When any of it is not understood, \`result\` is \`question\` and \
names the words: nothing is left out silently. \`person\` or \`distinct_id\` keeps to the recordings of one person, or alone \
asks for all of them. A model writes the filters where the deployment has one and the list takes them, else built-in rules \
do; \`engine\` says which.`,
  isExperimental: true,
  answers: { 200: { text: 'The filters, or a question.', schema: FiltersJson } },
  refusals: UNKNOWN
})

const REGEX = describe({
  id: 'session_recordings_ai_regex',
  mayBeEmpty: true,
  tag: TAG,
  summary: 'Write a regular expression',
  description: `**Experimental.** From a description, from examples, or both: what starts with, is under, contains, ends \
with or is any of a text, an e-mail, URL, path, id, uuid, date, version or number. \`like …\` in the description is an \
example, \`but not …\` a counter-example. Of \`person\` or \`distinct_id\` alone it is a pattern of that person's ids and URLs.

The pattern is of RE2 syntax, which runs in linear time, is found anywhere in a text, and is tested: it matches all \
examples and no counter-example. Where there is none, \`result\` is \`error\` and \`output\` says why. A model writes it \
where the deployment has one and its answer stands the test, else built-in rules do; \`engine\` says which.`,
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
      const { engine, answer } = messages
        ? await suggestFilters(await findModel(c), messages, project, now)
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
        person: somebody,
        distinct_id
      } = c.req.valid('json')
      const given = { examples, counter_examples }
      const person = somebody !== undefined && namesNobody(somebody) ? undefined : somebody
      const named = person === undefined ? distinct_id && 'distinct_id' : 'person'
      if (regex !== undefined && named) {
        throw new AppError(
          'invalid_input',
          `\`regex\` describes the pattern, or \`${named}\` says whose it is: not both.`,
          named
        )
      }
      if (regex === undefined && named) {
        const subject = await findNamed(c, person, distinct_id)
        return c.json(regexToJson('built-in', writeSubjectRegex(subject, given)))
      }
      if (regex === undefined && examples.length === 0) {
        if (somebody !== undefined) {
          return c.json(regexToJson('built-in', { fault: NOTHING_DESCRIBED }))
        }
        throw new AppError('required', 'This field is required.', 'regex')
      }
      const { engine, answer } = await suggestRegex(await findModel(c), regex ?? '', given)
      return c.json(regexToJson(engine, answer))
    }
  )

const NOTHING_DESCRIBED =
  'Nothing is described: send `regex`, `examples`, or a `person` or `distinct_id` that names somebody.'

const NO_FILTERS: ListFilters = {
  date_from: '',
  date_to: '',
  distinct_ids: [],
  filter_group: { type: 'AND', values: [{ type: 'AND', values: [] }] }
}

/** The deployment's model, unless the key has asked it too often in this minute: then the rules answer. */
async function findModel(c: Context<AppEnv>): Promise<Model | undefined> {
  // Of what a deployment may have, the types know only what all have.
  const bindings: ModelBindings = c.env
  const model = modelOf(bindings)
  if (!model) {
    return undefined
  }
  const { success } = await c.env.AI_RATE.limit({ key: String(c.var.key.id) })
  if (!success) {
    log('info', 'model asked too often', { project: c.var.project.id, key: c.var.key.id })
  }
  return success ? model : undefined
}

/** Whom a request names: by one name, or by two that agree. @throws does_not_exist, invalid_input */
async function findNamed(
  c: Context<AppEnv>,
  person: RegexInput['person'],
  distinctId: string | undefined
): Promise<Subject> {
  const name = person === undefined ? { distinctId: distinctId ?? '' } : readPersonName(person)
  const found = await findSubject(c.var.db, c.var.project.id, name)
  const attr = person === undefined ? 'distinct_id' : 'person'
  if (!found) {
    throw new AppError('does_not_exist', 'Invalid person - object does not exist.', attr)
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

/** @param subject whose recordings are meant; somebody without a person is one of several distinct ids that may be asked for */
function filtersToJson(
  engine: FiltersJson['engine'],
  answer: FilterAnswer,
  subject: Subject | undefined
): FiltersJson {
  const ids = subject && subject.uuid === undefined ? subject.distinctIds : []
  if ('question' in answer || (ids.length > 0 && answer.distinct_ids.length > 0)) {
    const question = 'question' in answer ? answer.question : 'Ask for one distinct id.'
    return {
      result: 'question',
      engine,
      data: { question, ...NO_FILTERS, person_uuid: '', query: '' }
    }
  }
  const filters = { ...answer, distinct_ids: [...ids, ...answer.distinct_ids] }
  const uuid = subject?.uuid ?? ''
  const data = { question: '', ...filters, person_uuid: uuid, query: toQuery(filters, uuid) }
  return { result: 'filter', engine, data }
}
