import * as z from 'zod'
import { MAX_FILTERS, OPERATORS } from '../properties/filter.ts'
import { DistinctId, PersonInput } from '../recordings/change.ts'
import { ENGINES } from './engine.ts'

/** Longest message or description, characters. */
const MAX_TEXT = 2_000
const MAX_MESSAGES = 50
/** Longest example, characters. */
const MAX_EXAMPLE = 1_000
/** Maximum number of examples in one request; the same limit applies to counter-examples. */
const MAX_EXAMPLES = 50

const Person = {
  person: PersonInput.optional().meta({
    description:
      'A person: a distinct id, or an object with `id`, `uuid` or `distinct_ids`. `{"properties": {}}`, which generated clients send, names nobody.'
  }),
  distinct_id: DistinctId.min(1).optional().meta({
    description:
      'A person by distinct id. With `person`, it must be one of that person’s distinct ids.'
  })
}

export const FiltersInput = z
  .object({
    messages: z
      .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(MAX_TEXT) }))
      .min(1)
      .max(MAX_MESSAGES)
      .optional()
      .meta({ description: 'A conversation. Its last message describes recordings, in English.' }),
    ...Person
  })
  .meta({
    id: 'RecordingFiltersInput',
    examples: [
      {
        messages: [
          { role: 'user', content: 'Firefox on Windows, longer than 5 minutes, in the last 3 days' }
        ]
      }
    ]
  })
export type FiltersInput = z.infer<typeof FiltersInput>

/**
 * Types of a filter: where its property is stored. `event_metadata` has one property, `event`, the
 * name of an event.
 */
export const FILTER_TYPES = ['event', 'event_metadata', 'person', 'session', 'recording'] as const

export const FilterJson = z
  .object({
    key: z.string(),
    type: z.enum(FILTER_TYPES),
    operator: z.enum(OPERATORS),
    value: z.array(z.string())
  })
  .meta({ id: 'RecordingFilter' })
export type FilterJson = z.infer<typeof FilterJson>

export type GroupJson = { type: 'AND' | 'OR'; values: (GroupJson | FilterJson)[] }
export const GroupJson: z.ZodType<GroupJson> = z
  .object({
    type: z.enum(['AND', 'OR']),
    get values() {
      return z.array(z.union([GroupJson, FilterJson]))
    }
  })
  .meta({
    id: 'RecordingFilterGroup',
    description: `Filters and groups. All (AND) or at least one (OR) of them must match; at most ${MAX_FILTERS} filters.`
  })

const Example = z.string().max(MAX_EXAMPLE)

export const RegexInput = z
  .object({
    regex: z.string().max(MAX_TEXT).optional().meta({
      description: 'Describes, in English, the texts that the pattern must match.'
    }),
    examples: z
      .array(Example)
      .max(MAX_EXAMPLES)
      .optional()
      .meta({ description: 'Texts that the pattern must match.' }),
    counter_examples: z
      .array(Example)
      .max(MAX_EXAMPLES)
      .optional()
      .meta({ description: 'Texts that the pattern must not match.' }),
    ...Person
  })
  .meta({
    id: 'RegexInput',
    examples: [{ regex: 'pages under /orders/ followed by a number', examples: ['/orders/12'] }]
  })
export type RegexInput = z.infer<typeof RegexInput>

const engine = z
  .enum(ENGINES)
  .meta({ description: 'Whether built-in rules or a language model gave the answer.' })

export const FiltersJson = z
  .object({
    result: z.enum(['filter', 'question']),
    engine,
    data: z.object({
      question: z.string().meta({
        description:
          'If `result` is `question`, which words were not understood or what to change in the request; otherwise empty.'
      }),
      date_from: z.string(),
      date_to: z.string(),
      person_uuid: z.string(),
      distinct_ids: z.array(z.string()),
      filter_group: GroupJson,
      query: z
        .string()
        .meta({ description: 'The filters as a query string of `GET session_recordings/`.' })
    })
  })
  .meta({
    id: 'RecordingFiltersAnswer',
    examples: [
      {
        result: 'filter',
        engine: 'built-in',
        data: {
          question: '',
          date_from: '-3d',
          date_to: '',
          person_uuid: '',
          distinct_ids: [],
          filter_group: {
            type: 'AND',
            values: [
              {
                type: 'AND',
                values: [{ key: '$browser', type: 'event', operator: 'exact', value: ['Firefox'] }]
              }
            ]
          },
          query:
            'date_from=-3d&properties=%7B%22type%22%3A%22AND%22%2C%22values%22%3A%5B%7B%22key%22%3A%22%24browser%22%2C%22type%22%3A%22event%22%2C%22operator%22%3A%22exact%22%2C%22value%22%3A%5B%22Firefox%22%5D%7D%5D%7D'
        }
      }
    ]
  })
export type FiltersJson = z.infer<typeof FiltersJson>

export const RegexJson = z
  .object({
    result: z.enum(['success', 'error']),
    engine,
    data: z.object({
      output: z.string().meta({
        description: 'The pattern, in RE2 syntax; if `result` is `error`, why there is none.'
      }),
      matched: z
        .array(z.object({ text: z.string(), match: z.string() }))
        .meta({ description: 'The examples, each with the part that the pattern matches.' }),
      rejected: z
        .array(z.string())
        .meta({ description: 'The counter-examples, none of which the pattern matches.' })
    })
  })
  .meta({
    id: 'RegexAnswer',
    examples: [
      {
        result: 'success',
        engine: 'built-in',
        data: {
          output: '^(?:https?://[^/?#]+)?/orders/[0-9]+(?:[/?#]|$)',
          matched: [{ text: '/orders/12', match: '/orders/12' }],
          rejected: []
        }
      }
    ]
  })
export type RegexJson = z.infer<typeof RegexJson>
