/** A Unicode class such as `\pL` takes as long to compile as this many characters. */
const UNICODE_CLASS_SIZE = 10
/** Folding the case of this many code points of a range takes as long as compiling one character. */
const FOLDED_PER_SIZE = 20
/** The code points that have another case lie between these two. */
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
 * Returns an upper bound of the instructions that a pattern of RE2 compiles to, plus what its character classes cost to
 * compile. It is read off the text: to compile `(?:x{900}y){1000}` only to see how large it gets takes half a second. A
 * text that is not a pattern has a size as well.
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
  // Flags such as `(?i)` add nothing. A repeat behind them is one of the atom before them.
}

/** The size of nested sequences of atoms. */
class Size {
  readonly #outer: Sequence[] = []
  #sequence: Sequence = { complete: 0, last: 3 }

  /** Adds an atom, which a repeat may follow. */
  add(size: number): void {
    const { complete, last } = this.#sequence
    this.#sequence = { complete: complete + last, last: size }
  }

  /** Adds so many characters; a repeat is one of the last. */
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

/** Atoms: the size of all but the last, and that of the last. */
type Sequence = { complete: number; last: number }

/** Reads a character class such as `[^]a-z\d[:alpha:]]`. @returns where it ends, behind its bracket */
function readClass(
  pattern: string,
  from: number,
  foldsCase: boolean
): { size: number; end: number } {
  let end = from + (pattern[from + 1] === '^' ? 2 : 1)
  let size = 1
  // A bracket in the first place is a character of the class.
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

/** The code point of a character, also of an escaped one: `\x{41}`, `\101`, `\-`. */
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
