/** A part of a LIKE pattern: a text, `_` for one character, or `%` for any. */
type Part = { text: string } | { wildcard: '_' | '%' }

/** `a\_b%` → the text `a_b`, then `%` */
function partsOf(pattern: string): Part[] {
  const parts: Part[] = []
  const add = (text: string): void => {
    const last = parts.at(-1)
    if (last && 'text' in last) {
      parts[parts.length - 1] = { text: last.text + text }
    } else {
      parts.push({ text })
    }
  }
  const characters = [...pattern]
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] ?? ''
    if (character === '\\' && i + 1 < characters.length) {
      i += 1
      add(characters[i] ?? '')
    } else if (character === '%' || character === '_') {
      parts.push({ wildcard: character })
    } else {
      add(character)
    }
  }
  return parts
}

/**
 * Returns the test of a LIKE pattern, which a whole text has to fit. After each `%`, the rest fits
 * at its first place, so a text is searched once per part.
 */
export function likeTest(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern)
  const runs: Part[][] = [[]]
  for (const part of parts) {
    if ('wildcard' in part && part.wildcard === '%') {
      runs.push([])
    } else {
      runs.at(-1)?.push(part)
    }
  }
  const [first = [], ...others] = runs
  const last = others.pop()
  return (text) => {
    let at = endOfRun(first, text, 0)
    if (last === undefined) {
      return at === text.length
    }
    for (const run of others) {
      at = at === undefined ? undefined : findRun(run, text, at)
    }
    return at !== undefined && endsWithRun(last, text, at)
  }
}

/** Returns where a run that begins at a place ends; undefined if the text does not fit. */
function endOfRun(run: readonly Part[], text: string, from: number): number | undefined {
  let at = from
  for (const part of run) {
    if ('text' in part) {
      if (!text.startsWith(part.text, at)) {
        return undefined
      }
      at += part.text.length
    } else if (at < text.length) {
      at += lengthAt(text, at)
    } else {
      return undefined
    }
  }
  return at
}

const lengthAt = (text: string, at: number): number =>
  (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1

/** Returns where the first such run from a place on ends. */
function findRun(run: readonly Part[], text: string, from: number): number | undefined {
  for (let at = from; at <= text.length; at += lengthAt(text, at)) {
    const [part] = run
    const start = part && 'text' in part ? text.indexOf(part.text, at) : at
    if (start < 0) {
      return undefined
    }
    const end = endOfRun(run, text, start)
    if (end !== undefined) {
      return end
    }
    at = start
  }
  return undefined
}

/** Whether a text ends with a run that begins at a place or after it. */
function endsWithRun(run: readonly Part[], text: string, from: number): boolean {
  let at = text.length
  for (const part of run.toReversed()) {
    if ('text' in part) {
      at -= part.text.length
      if (at < from || !text.startsWith(part.text, at)) {
        return false
      }
    } else {
      const isPair = at >= 2 && (text.codePointAt(at - 2) ?? 0) > 0xffff
      at -= isPair ? 2 : 1
    }
    if (at < from) {
      return false
    }
  }
  return true
}
