import { z } from 'zod'
import { DistinctId, PersonInput } from '../recordings/change.ts'
import { ENGINES } from './engine.ts'

const MAX_TEXT = 2_000
const MAX_EXAMPLE = 1_000
const MAX_EXAMPLES = 50

const Person = {
  person: PersonInput.optional().meta({
    description: 'Whose, where nothing else is asked for: a distinct id, or an object that names a person.'
  }),
  distinct_id: DistinctId.min(1).optional().meta({ description: 'The same by a distinct id.' })
}

const Example = z.string().max(MAX_EXAMPLE)

export const RegexInput = z
  .object({
    regex: z.string().max(MAX_TEXT).optional().meta({ description: 'What the pattern is to match, in English.' }),
    examples: z.array(Example).max(MAX_EXAMPLES).optional().meta({ description: 'Texts that it has to match.' }),
    counter_examples: z
      .array(Example)
      .max(MAX_EXAMPLES)
      .optional()
      .meta({ description: 'Texts that it must not match.' }),
    ...Person
  })
  .meta({
    id: 'RegexInput',
    examples: [{ regex: 'pages under /orders/ followed by a number', examples: ['/orders/12'] }]
  })
export type RegexInput = z.infer<typeof RegexInput>

const engine = z.enum(ENGINES).meta({ description: 'What has made the answer.' })

export const RegexJson = z
  .object({
    result: z.enum(['success', 'error']),
    engine,
    data: z.object({
      output: z.string().meta({ description: 'The pattern, RE2 syntax; with `error`, why there is none.' }),
      matched: z
        .array(z.object({ text: z.string(), match: z.string() }))
        .meta({ description: 'What the pattern finds in each example.' }),
      rejected: z.array(z.string()).meta({ description: 'The counter-examples, in which it finds nothing.' })
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
