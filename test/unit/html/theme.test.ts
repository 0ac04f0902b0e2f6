import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOKENS_CSS } from '../../../src/html/css.ts'
import { COLORS, type ColorName, ON_ANY_GROUND, THEMES } from '../../../src/html/tokens.ts'

const SRC = join(import.meta.dirname, '../../../src')
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))

/** Returns the files outside of `allowed` that match. */
const filesWith = (pattern: RegExp, allowed: string[]): string[] =>
  sources
    .filter(({ file, text }) => !allowed.includes(file) && pattern.test(text))
    .map(({ file }) => file)

it('colours stand only in the tokens', () => {
  expect(
    filesWith(/#[\da-f]{6}\b|#[\da-f]{3}\b(?=[;'"\s,)])|light-dark\(/i, ['html/tokens.ts'])
  ).toEqual([])
})

it('only one function writes pages, and one e-mails', () => {
  expect(filesWith(/<!doctype html>/i, ['html/page.ts', 'html/email.ts'])).toEqual([])
})

/** Returns the contrast of two colours by WCAG 2, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the relative luminance of a colour such as `#1a2b3c` by WCAG 2, from 0 to 1. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const TEXTS: [ink: ColorName, ground: ColorName][] = [
  ['ink', 'surface'],
  ['ink-2', 'bg'],
  ['ink-3', 'bg'],
  ['ink-3', 'hover'],
  ['ink-3', 'h1'],
  ['ink', 'h1'],
  ['accent-ink', 'accent-soft'],
  ['on-accent', 'accent'],
  ['good', 'good-soft'],
  ['bad', 'bad-soft'],
  ['warn', 'warn-soft'],
  ['good', 'surface'],
  ['bad', 'surface'],
  ['warn', 'surface'],
  ['on-bad', 'bad-fill'],
  ['on-heat-low', 'h4'],
  ['on-heat-high', 'h5']
]
const SERIES = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8'] as const
const GRAPHICS: [graphic: ColorName, ground: ColorName][] = [
  ['field', 'surface'],
  ['focus', 'bg'],
  ['prev', 'surface'],
  ...SERIES.map((series): [ColorName, ColorName] => [series, 'surface'])
]

describe.each(THEMES)('in %s', (theme) => {
  const colors = COLORS[theme]

  it.each(TEXTS)('%s on %s can be read', (ink, ground) => {
    expect(contrast(colors[ink], colors[ground])).toBeGreaterThanOrEqual(4.5)
  })

  it.each(GRAPHICS)('%s on %s can be seen', (graphic, ground) => {
    expect(contrast(colors[graphic], colors[ground])).toBeGreaterThanOrEqual(3)
  })

  it('all colours are custom properties of pages', () => {
    for (const [name, value] of Object.entries(colors)) {
      expect(TOKENS_CSS).toContain(`--${name}:${value};`)
    }
  })

  it.each([...SERIES, 'prev', 'axis'] as const)(
    '%s of a chart without a ground can be seen',
    (name) => {
      expect(contrast(ON_ANY_GROUND[name], colors.surface)).toBeGreaterThanOrEqual(3)
    }
  )

  it.each(['ink', 'ink-2', 'ink-3'] as const)(
    '%s of a chart without a ground can be read',
    (name) => {
      // No grey has a contrast of 4.5 with both grounds.
      expect(contrast(ON_ANY_GROUND[name], colors.surface)).toBeGreaterThanOrEqual(4)
    }
  )
})
