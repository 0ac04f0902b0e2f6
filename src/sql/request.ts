import * as z from 'zod'
import { naming } from '../errors.ts'
import { isEmpty, type Json, type JsonObject } from '../input/json.ts'
import { parseInput } from '../input/parse.ts'
import { EVENT_FILTER_TYPES, type FilterGroup } from '../properties/filter.ts'
import { Patterns } from '../properties/pattern.ts'
import { readFilters } from '../properties/read-filters.ts'
import type { Settings } from '../trends/request.ts'
import { OptionalFlag, Unsupported } from '../trends/shared-fields.ts'
import { StatementError, toAppError } from './statement-error.ts'
import { type SqlToken, tokenize } from './tokens.ts'

/** Longest statement, characters. */
const MAX_STATEMENT = 20_000

/** Values of a list for IN. */
const MAX_LIST = 1_000

const Scalar = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  'Send a text, a number, true, false, null, or a list of these.'
)

/** A value that a placeholder stands for. */
const Filling = z.union(
  [Scalar, z.array(Scalar).max(MAX_LIST, `At most ${MAX_LIST} values are allowed.`)],
  'Send a text, a number, true, false, null, or a list of these.'
)
export type Filling = z.infer<typeof Filling>

const ignored = z.unknown().optional()

const DateText = z.string().max(100).nullish()

const StatementNode = z.strictObject({
  kind: z.string(),
  query: z.string().max(MAX_STATEMENT),
  values: z.record(z.string(), Filling).nullish(),
  filters: z
    .strictObject({
      dateRange: z
        .strictObject({ date_from: DateText, date_to: DateText, explicitDate: OptionalFlag })
        .nullish(),
      properties: z.unknown().optional(),
      filterTestAccounts: OptionalFlag
    })
    .nullish(),
  variables: z
    .record(
      z.string(),
      z.strictObject({
        variableId: z.string().nullish(),
        code_name: z.string(),
        value: Filling.optional(),
        isNull: OptionalFlag
      })
    )
    .nullish(),
  modifiers: z.looseObject({ personsOnEventsMode: z.string().nullish() }).nullish(),
  sendRawQuery: Unsupported,
  connectionId: Unsupported,
  explain: ignored,
  name: ignored,
  response: ignored,
  tags: ignored,
  version: ignored
})

/** A statement, and what its placeholders stand for. */
export type SqlQuery = {
  text: string
  values: Readonly<Record<string, Filling>>
  /** Undefined without `filters`: `{filters}` is then true. */
  filters: StatementFilters | undefined
  /** By their code names. */
  variables: ReadonlyMap<string, Filling>
  /** Whether the statement names properties of persons. */
  namesPersons: boolean
  warnings: readonly string[]
}

/** What `{filters}` stands for. */
export type StatementFilters = {
  from: string | undefined
  until: string | undefined
  group: FilterGroup
}

/** How person properties are read, whatever `modifiers.personsOnEventsMode` says. */
const MODE = 'person_id_override_properties_on_events'

/**
 * Reads a `HogQLQuery` node; `computeSql` parses its statement.
 * @throws errors of input, attr the path in the node
 */
export function readSql(node: JsonObject, settings: Settings, now: Date): SqlQuery {
  const read = parseInput(StatementNode, node)
  const mode = read.modifiers?.personsOnEventsMode
  const variables = Object.values(read.variables ?? {})
  return {
    text: read.query,
    values: read.values ?? {},
    filters: read.filters ? toFilters(read.filters, settings, now) : undefined,
    variables: new Map(
      variables.flatMap(({ code_name, value, isNull }) => {
        const filling = isNull ? null : value
        return filling === undefined ? [] : [[code_name, filling] as const]
      })
    ),
    namesPersons: namesPersons(read.query),
    warnings:
      mode && mode !== MODE
        ? [`modifiers.personsOnEventsMode is ignored: this service reads persons as ${MODE}.`]
        : []
  }
}

type SentFilters = NonNullable<z.infer<typeof StatementNode>['filters']>

function toFilters(
  { dateRange, properties, filterTestAccounts }: SentFilters,
  settings: Settings,
  now: Date
): StatementFilters {
  const reading = {
    timezone: settings.timezone,
    now,
    types: EVENT_FILTER_TYPES,
    patterns: new Patterns()
  }
  const read = (filters: unknown, attr: string): FilterGroup =>
    isEmpty(filters ?? {})
      ? { type: 'AND', values: [] }
      : // The cast is safe: the filters were parsed from JSON.
        naming(attr, () => readFilters(filters as Json, reading))
  return {
    from: dateRange?.date_from ?? undefined,
    until: dateRange?.date_to ?? undefined,
    group: {
      type: 'AND',
      values: [
        read(properties, 'filters__properties'),
        read(filterTestAccounts ? settings.testAccountFilters : [], 'filters__filterTestAccounts')
      ]
    }
  }
}

/** @throws invalid_input, attr `query`, for a text that cannot be divided into words */
function tokensOf(text: string): SqlToken[] {
  try {
    return tokenize(text)
  } catch (error) {
    throw error instanceof StatementError ? toAppError(text, error) : error
  }
}

/**
 * Whether a text has the word `persons`, or the word `person` other than in `person.id`, which needs
 * no person. @throws invalid_input, attr `query`, for a text that cannot be divided into words
 */
export const namesPersons = (text: string): boolean =>
  tokensOf(text).some(({ kind, value }, i, tokens) => {
    const isName = kind === 'name' || kind === 'quoted'
    if (!(isName || kind === 'text') || !/^persons?$/i.test(value)) {
      return false
    }
    const isId = tokens[i + 1]?.text === '.' && tokens[i + 2]?.value === 'id'
    return !(isName && isId && /^person$/i.test(value))
  })
