import { type Examples, prove, quote } from './pattern.ts'
import type { RegexAnswer } from './regex.ts'
import type { NamedVisitor } from './store.ts'

/**
 * Writes a pattern that matches a visitor's distinct ids, also inside URLs, and as many of the
 * newest URLs of the visitor's recordings as fit into 1,000 characters.
 */
export function writeSubjectRegex(
  { distinctIds, urls }: NamedVisitor,
  given: Examples
): RegexAnswer {
  const pages = [...new Set(urls.map((url) => url.replace(/[?#].*$/s, '')))]
  const ids = [
    ...new Set(distinctIds.flatMap((id) => [id, encodeURIComponent(id.toWellFormed())]))
  ].map(quote)
  const carriesId = `(?:^|[^A-Za-z0-9])(?:${ids.join('|')})(?:[^A-Za-z0-9]|$)`
  for (let count = pages.length; count >= 0; count -= 1) {
    const shown = pages.slice(0, count)
    const output = [carriesId, ...shown.map((url) => `^${quote(url)}(?:[?#]|$)`)].join('|')
    const proof = prove(output, {
      ...given,
      examples: [...given.examples, ...distinctIds, ...shown]
    })
    if (!proof) {
      continue
    }
    const [missed] = proof.missed
    if (missed === undefined) {
      return { output, matched: proof.matched, rejected: proof.rejected }
    }
    const isExample = given.examples.includes(missed)
    return {
      fault: `The pattern of the person's ids and URLs ${isExample ? 'does not match' : 'also matches'} "${missed}".`
    }
  }
  return {
    fault: `A pattern of the person's ${distinctIds.length} distinct ids would be longer than 1,000 characters.`
  }
}
