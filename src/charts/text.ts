import { isolate } from '../input/show.ts'

/*
 * Widths of text, to lay out labels without loading a font. The widths are Helvetica's; those of
 * Arial and other sans-serif fonts differ little.
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
/** Width of an emoji, in thousandths of the font size, however many code points it is made of. */
const WIDTH_OF_EMOJI = 1_300
/**
 * Width of characters that no rule covers, in thousandths of the font size: Chinese characters are
 * square.
 */
const WIDTH_OF_OTHERS = 1_000
/** Factor for fonts that are wider than Helvetica. */
const MARGIN = 1.08

/**
 * Widths of characters beyond ASCII, in thousandths of the font size; the first rule that matches
 * counts.
 */
const RULES: [characters: RegExp, width: number][] = [
  // Marks, and the vowels and final consonants within Korean syllables.
  [/[\p{M}\p{Cf}\u1160-\u11ff]/u, 0],
  [/[·‘’‚‹›]/u, 333],
  [/[–«»“”„ªº°]/u, 556],
  [/[ЖМФШЩЫЮѠЉЊжмфшщыюљњ]/u, 880],
  [/[\p{Script=Cyrillic}\p{Script=Greek}]/u, 600],
  [/\p{Script=Hebrew}/u, 550],
  [/[æœÆŒ]/u, 950],
  [/\p{Script=Latin}/u, 640],
  // Letters that the font of images lacks are boxes there, of three quarters of the font size.
  [/[\p{Script=Arabic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Thai}\p{Script=Lao}]/u, 760],
  [/[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}]/u, 760]
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
const unitOf = (size: number): number => (size * MARGIN) / 1_000

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
