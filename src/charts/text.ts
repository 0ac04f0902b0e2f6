import { isolate } from '../input/show.ts'

/*
 * Widths of text, to lay out labels without loading a font. The widths are the larger ones of
 * Helvetica and of DejaVu Sans, the widest font that a reader is likely to have.
 */

/** Widths of the characters from space to `~`, in thousandths of the font size. */
const WIDTHS = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
  636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, 1015, 684, 686, 722, 770, 667,
  611, 778, 752, 295, 500, 667, 557, 863, 748, 787, 667, 787, 722, 667, 611, 732, 684, 989, 685,
  667, 685, 390, 337, 390, 838, 556, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
  278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838
]
/** The code of the first character in `WIDTHS`: a space. */
const FIRST = 32
/** Width of an emoji, in thousandths of the font size, however many code points it is made of. */
const WIDTH_OF_EMOJI = 1_400
/**
 * Width of characters that no rule covers, in thousandths of the font size: Chinese characters are
 * square.
 */
const WIDTH_OF_OTHERS = 1_080

/**
 * Widths of characters beyond ASCII, in thousandths of the font size; the first rule that matches
 * counts.
 */
const RULES: [characters: RegExp, width: number][] = [
  // Marks, and the vowels and final consonants within Korean syllables.
  [/[\p{M}\p{Cf}\u1160-\u11ff]/u, 0],
  [/[·‘’‚‹›]/u, 400],
  [/[–«»“”„ªº°]/u, 612],
  [/[ЖМФШЩЫЮѠЉЊжмфшщыюљњ]/u, 950],
  [/[\p{Script=Cyrillic}\p{Script=Greek}]/u, 660],
  [/\p{Script=Hebrew}/u, 600],
  [/[æœÆŒ]/u, 1_070],
  [/\p{Script=Latin}/u, 690],
  // Letters that the font of images lacks are boxes there, of three quarters of the font size.
  [/[\p{Script=Arabic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Thai}\p{Script=Lao}]/u, 820],
  [/[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}]/u, 820]
]

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Splits a text, one by one, into what a reader takes for characters: an emoji of several code
 * points is one.
 */
const charactersOf = (text: string) =>
  graphemes
    .segment(text.normalize('NFC'))
    [Symbol.iterator]()
    .map(({ segment }) => segment)

/**
 * Estimates the width of a text at a font size, both in pixels; a little too large. `Ö` is as wide
 * as `O`.
 */
export const widthOf = (text: string, size: number): number =>
  charactersOf(text).reduce((sum, character) => sum + widthOfCharacter(character), 0) * unitOf(size)

/** Pixels of a thousandth of the font size. */
const unitOf = (size: number): number => size / 1_000

function widthOfCharacter(character: string): number {
  if (/\p{RI}|\p{Emoji_Presentation}|\ufe0f/u.test(character)) {
    return WIDTH_OF_EMOJI
  }
  // The first part is the letter without its accent, which has the same width.
  const letters = [...character.normalize('NFD')]
  return letters.reduce((sum, letter) => sum + widthOfLetter(letter), 0)
}

function widthOfLetter(letter: string): number {
  const known = WIDTHS[(letter.codePointAt(0) ?? 0) - FIRST]
  return known ?? RULES.find(([characters]) => characters.test(letter))?.[1] ?? WIDTH_OF_OTHERS
}

/**
 * Breaks a text at spaces into lines of at most `width` pixels; cuts a word that is longer than a
 * line.
 */
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

/**
 * Cuts a text to a width in pixels: `A long name` → `A lon…`; empty if not even one character fits.
 */
export function shorten(text: string, size: number, width: number): string {
  const room = width - widthOf('…', size)
  let used = 0
  let kept = ''
  for (const character of charactersOf(text)) {
    used += widthOfCharacter(character) * unitOf(size)
    if (used > width) {
      return kept === '' ? '' : `${kept.trimEnd()}…`
    }
    if (used <= room) {
      kept += character
    }
  }
  return text
}

/** Cuts a user's text to a width in pixels, and keeps it from moving what is beside it. */
export const fitName = (text: string, size: number, width: number): string =>
  isolate(shorten(text, size, width))
