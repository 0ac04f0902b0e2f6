import { z } from 'zod'
import { MAX_PATTERN } from '../properties/filter.ts'
import { askModel, type Engine, TIME_LIMIT_MS } from './engine.ts'
import type { Model } from './model.ts'
import { type Examples, prove } from './pattern.ts'
import { type RegexAnswer, writeRegex } from './regex.ts'

/** What a model answers for a pattern. */
const RegexDraft = z.object({ result: z.enum(['success', 'error']), output: z.string() })

const REGEX_INSTRUCTIONS = `You write regular expressions for the analytics of websites: for URLs, paths and the values of \
properties. Write RE2 syntax, without lookaround and backreferences, at most ${MAX_PATTERN} characters; the pattern is \
searched for anywhere in a text unless it is anchored. It has to match every text in "examples" and none in \
"counter_examples". "request" says what it is for. Answer {"result":"success","output":"<the pattern>"}, or, if there can \
be no such pattern, {"result":"error","output":"<one sentence that says why>"}.`

/** The model's pattern, tested; else what the rules make of the same request. */
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
        faultOf: (answer) => (answer.result === 'success' ? faultOf(answer.output, given) : undefined)
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

function faultOf(pattern: string, given: Examples): string | undefined {
  const proof = pattern === '' ? undefined : prove(pattern, given)
  if (!proof) return 'This is no pattern of RE2 syntax.'
  const [missed] = proof.missed
  if (missed === undefined) return undefined
  return given.examples.includes(missed) ? `It does not match the example ${missed}` : `It matches ${missed}`
}
