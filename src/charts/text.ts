/*
 * Widths of text, to lay out labels without loading a font. The widths are Helvetica's; those of Arial and other sans-serif
 * fonts differ little.
 */

/** Widths of the characters from space to `~`, in thousandths of the font size. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
  556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
  611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
  222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584
]
/** The code of the first character in `WIDTHS`: a space. */
const FIRST = 32
/** Width of the `·` between the parts of a label, in thousandths of the font size. */
const WIDTH_OF_DOT = 278
/** Width of characters without a width of their own, in thousandths of the font size: Chinese characters are square. */
const WIDTH_OF_OTHERS = 1_000
/** Factor for fonts that are wider than Helvetica. */
const MARGIN = 1.08

/** Estimates the width of a text at a font size, both in pixels; a little too large. `Ö` is as wide as `O`. */
export function widthOf(text: string, size: number): number {
  let width = 0
  for (const character of text.normalize('NFC')) {
    // The first part is the letter without its accent, which has the same width.
    const code = character.normalize('NFD').codePointAt(0) ?? 0
    width += character === '·' ? WIDTH_OF_DOT : (WIDTHS[code - FIRST] ?? WIDTH_OF_OTHERS)
  }
  return (width * size * MARGIN) / 1_000
}

/** Breaks a text at spaces into lines of at most `width` pixels; cuts a word that is longer than a line. */
export function wrap(text: string, size: number, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trimStart()
    if (widthOf(longer, size) <= width) {
      lines.splice(-1, 1, longer)
    } else {
      lines.push(word)
    }
  }
  return lines.map((line) => shorten(line, size, width))
}

/** Cuts a text to a width in pixels: `A long name` → `A lon…`; empty if not even one character fits. */
export function shorten(text: string, size: number, width: number): string {
  if (widthOf(text, size) <= width) {
    return text
  }
  const characters = [...text]
  while (characters.length > 0 && widthOf(`${characters.join('')}…`, size) > width) {
    characters.pop()
  }
  return characters.length > 0 ? `${characters.join('').trimEnd()}…` : ''
}
