/** Size of a Unicode class such as `\pL`, which takes as long to compile as 10 characters. */
const UNICODE_CLASS_SIZE = 10
/** Code points that take as long to fold to one case as a character to compile. */
const FOLDED_PER_SIZE = 20
/** The first and the last code point that have an upper and a lower case. */
const FOLDED = { from: 0x41, to: 0x1e943 }

const ESCAPE = String.raw`\\(?:[pPx]\{[^}]*\}|[pP].|x[0-9a-fA-F]{2}|[0-7]{1,3}|.|$)`

const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    String.raw`(?<flags>\(\?[a-zA-Z-]*\))`,
    String.raw`(?<open>\((?:\?P?<\w*>|\?[a-zA-Z-]*:)?)`,
    String.raw`(?<close>\))`,
    String.raw`\{(?<least>\d+)(?:,(?<most>\d*))?\}`,
    '(?<optional>[*+?])',
    `(?<escape>${ESCAPE})`,
    '(?<character>.)'
  ].join('|'),
  'suy'
)

/** A range, a named class or one character of a character class. */
const ITEM = new RegExp(
  String.raw`(?<low>${ESCAPE}|.)-(?!\])(?<high>${ESCAPE}|.)|\[:\^?\w+:\]|(?<single>${ESCAPE}|.)`,
  'suy'
)

/**
 * Returns an upper estimate of the instructions that an RE2 pattern compiles to, plus the cost of
 * compiling its character classes. Reads the text only: compiling `(?:x{900}y){1000}` to measure it
 * would take half a second. Invalid patterns have a size as well.
 *
 * `a{3}` → 10, `(?:ab){10}` → 64
 */
export function sizeOf(pattern: string): number {
  const foldsCase = /\(\?[a-z]*i/i.test(pattern)
  const size = new Size()
  for (let at = 0; at < pattern.length; ) {
    if (pattern[at] === '[') {
      const found = readClass(pattern, at, foldsCase)
      size.add(found.size)
      at = found.end
    } else {
      TOKEN.lastIndex = at
      addToken(size, TOKEN.exec(pattern)?.groups ?? {})
      at = Math.max(TOKEN.lastIndex, at + 1)
    }
  }
  return size.total()
}

type Groups = Record<string, string | undefined>

function addToken(size: Size, { quoted, open, close, least, most, ...rest }: Groups): void {
  const { optional, escape: escaped, character } = rest
  if (quoted !== undefined) {
    size.addEach(quoted.length)
  } else if (open) {
    size.open()
  } else if (close) {
    size.close()
  } else if (least !== undefined) {
    size.repeat(Math.max(Number(least), Number(most ?? 0), 1))
  } else if (optional) {
    size.enlarge(2)
  } else if (escaped) {
    size.add(sizeOfEscape(escaped))
  } else if (character) {
    size.add(character === '|' ? 2 : 1)
  }
  // Flags such as `(?i)` add nothing. A repeat after them applies to the atom before them.
}

/** Adds up the sizes of nested sequences of atoms. */
class Size {
  readonly #outer: Sequence[] = []
  #sequence: Sequence = { complete: 0, last: 3 }

  /** Adds an atom, which a repeat may follow. */
  add(size: number): void {
    const { complete, last } = this.#sequence
    this.#sequence = { complete: complete + last, last: size }
  }

  /** Adds `count` characters. A repeat after them applies to the last character. */
  addEach(count: number): void {
    if (count > 0) {
      this.add(count - 1)
      this.add(1)
    }
  }

  repeat(times: number): void {
    const { complete, last } = this.#sequence
    this.#sequence = { complete, last: times * (last + 1) + 1 }
  }

  enlarge(by: number): void {
    const { complete, last } = this.#sequence
    this.#sequence = { complete, last: last + by }
  }

  open(): void {
    this.#outer.push(this.#sequence)
    this.#sequence = { complete: 0, last: 1 }
  }

  close(): void {
    const { complete, last } = this.#sequence
    this.#sequence = this.#outer.pop() ?? { complete: 0, last: 0 }
    this.add(complete + last + 2)
  }

  total(): number {
    return [...this.#outer, this.#sequence].reduce(
      (sum, { complete, last }) => sum + complete + last,
      0
    )
  }
}

/**
 * A sequence of atoms: the size of the last atom, which a repeat would multiply, and the size of
 * all atoms before it. An empty pattern has the size 3. An empty group has the size
 * 1, and 2 more for its parentheses.
 */
type Sequence = { complete: number; last: number }

/**
 * Reads a character class such as `[^]a-z\d[:alpha:]]`. @returns its size and the position after
 * its closing bracket
 */
function readClass(
  pattern: string,
  from: number,
  foldsCase: boolean
): { size: number; end: number } {
  let end = from + (pattern[from + 1] === '^' ? 2 : 1)
  let size = 1
  // A `]` in the first place does not end the class: it is one of its characters.
  do {
    ITEM.lastIndex = end
    const { low, high, single } = ITEM.exec(pattern)?.groups ?? {}
    if (single) {
      size += sizeOfEscape(single) - 1
    } else if (low && high && foldsCase) {
      size += sizeOfFolded(low, high)
    }
    end = Math.max(ITEM.lastIndex, end + 1)
  } while (end < pattern.length && pattern[end] !== ']')
  return { size, end: end + 1 }
}

const sizeOfEscape = (text: string): number => (/^\\[pP]/.test(text) ? UNICODE_CLASS_SIZE : 1)

function sizeOfFolded(low: string, high: string): number {
  const from = Math.max(pointOf(low), FOLDED.from)
  const to = Math.min(pointOf(high), FOLDED.to)
  return Math.max(0, Math.ceil((to - from) / FOLDED_PER_SIZE))
}

/** Returns the code point of a character or an escape: `A`, `\x{41}` and `\101` → 65. */
function pointOf(character: string): number {
  const [, hex, octal] = /^\\(?:x\{?([0-9a-fA-F]+)\}?|([0-7]+))$/.exec(character) ?? []
  if (hex !== undefined) {
    return Number.parseInt(hex, 16)
  }
  if (octal !== undefined) {
    return Number.parseInt(octal, 8)
  }
  return character.codePointAt(character.startsWith('\\') ? 1 : 0) ?? 0
}
