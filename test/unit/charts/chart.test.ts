import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chart, KINDS } from '../../../src/charts/chart.ts'
import { describeChart, drawChart, SIZES } from '../../../src/charts/draw.ts'
import {
  describeChange,
  formatChange,
  formatTick,
  formatValue
} from '../../../src/charts/format.ts'
import { stack } from '../../../src/charts/lines.ts'
import { point, surfaces } from '../../../src/charts/marks.ts'
import { scaleOf } from '../../../src/charts/scale.ts'
import { shorten, widthOf, wrap } from '../../../src/charts/text.ts'
import { THEME, THEMES } from '../../../src/charts/theme.ts'
import { deep } from '../../support/depth.ts'

describe('the scale of an axis', () => {
  it.each<[number[], number[]]>([
    [
      [37, 3],
      [0, 10, 20, 30, 40]
    ],
    [[1], [0, 1]],
    [[3], [0, 1, 2, 3]],
    [
      [0.3, 0.12],
      [0, 0.1, 0.2, 0.3]
    ],
    [
      [-12, 25],
      [-20, -10, 0, 10, 20, 30]
    ],
    [[1_234_567], [0, 500_000, 1_000_000, 1_500_000]],
    [
      [0, 0],
      [0, 1]
    ],
    [[], [0, 1]]
  ])('for %j has the marks %j', (values, ticks) => {
    expect(scaleOf(values, 5).ticks.map((tick) => Math.round(tick * 1e6) / 1e6)).toEqual(ticks)
  })

  it('covers zero and every value with few marks', () => {
    const value = fc
      .double({ min: -1e12, max: 1e12, noNaN: true })
      .map((number) => Math.round(number * 1e3) / 1e3)
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1 }),
        fc.integer({ min: 2, max: 12 }),
        (values, most) => {
          const { min, max, ticks } = scaleOf(values, most)
          expect(min).toBeLessThanOrEqual(Math.min(0, ...values))
          expect(max).toBeGreaterThanOrEqual(Math.max(0, ...values))
          expect(ticks.some((tick) => Math.abs(tick) < (max - min) / 1e6)).toBe(true)
          expect(ticks.length).toBeLessThanOrEqual(most + 2)
        }
      ),
      deep(1_000)
    )
  })

  it.each([
    [0, '0'],
    [0.125, '0.125'],
    [950, '950'],
    [1_500, '1.5K'],
    [1_250, '1.25K'],
    [1e-9, '1e-9'],
    [-2_000_000, '-2M']
  ])('shows %d as %s', (value, text) => {
    expect(formatTick(value)).toBe(text)
  })
})

describe('a text', () => {
  it('is cut between characters to fit its width', () => {
    expect(shorten('Sign-ups', 12, 200)).toBe('Sign-ups')
    expect(shorten('A very long name', 12, 60)).toBe('A very l…')
    expect(shorten('👩‍🚀👩‍🚀👩‍🚀', 12, 30).isWellFormed()).toBe(true)
    expect(shorten('wide', 12, 1)).toBe('')
  })

  it('is broken into lines at spaces', () => {
    expect(wrap('Choose a shorter range.', 12, 200)).toEqual(['Choose a shorter range.'])
    expect(wrap('Choose a shorter range.', 12, 60)).toEqual(['Choose a', 'shorter', 'range.'])
    expect(wrap('averyveryverylongword short', 12, 60)).toEqual(['averyve…', 'short'])
  })

  it('is never wider than requested', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: 300 }),
        (text, width) => {
          expect(widthOf(shorten(text, 12, width), 12)).toBeLessThanOrEqual(width)
        }
      ),
      deep(1_000)
    )
  })
})

it('series are stacked by their running totals', () => {
  expect(
    stack([
      [1, 2],
      [3, 4],
      [0, 1]
    ])
  ).toEqual([
    [1, 2],
    [4, 6],
    [4, 7]
  ])
})

it('a chart has a description in words', () => {
  const chart: Chart = {
    title: 'Sign-ups',
    subtitle: 'UTC',
    kind: 'line',
    buckets: ['1 Jun', '2 Jun', '3 Jun'],
    series: [{ name: 'Sign-ups', data: [3, 40, 12] }]
  }

  expect(describeChart(chart)).toBe('Line chart, 1 Jun to 3 Jun, UTC. Sign-ups: 3 to 40, last 12.')
})

/** Returns a chart whose series have these values, each at a single time. */
const chartOf = (kind: Chart['kind'], values: number[]): Chart => ({
  title: 'Views',
  subtitle: 'UTC',
  kind,
  buckets: ['1 Jun'],
  series: values.map((value, i) => ({ name: `s${i}`, data: [value] }))
})

it.each([
  [12, []],
  [13, ['1 more series is not drawn']],
  [14, ['2 more series are not drawn']]
])('of %i lines, twelve are drawn', (count, notes) => {
  const svg = drawChart(chartOf('line', Array<number>(count).fill(1)))
  expect(svg.match(/>s\d+</g)).toHaveLength(12)
  expect(svg.match(/\d more series (is|are) not drawn/g) ?? []).toEqual(notes)
})

it('of 13 stacked series, the last two are drawn as one', () => {
  const svg = drawChart(chartOf('stacked', Array<number>(13).fill(1)))
  expect(svg.match(/>(s\d+|2 others)</g)).toHaveLength(12)
  expect(svg).toContain('>2 others<')
})

it('a pie without a value above 0 says so', () => {
  expect(drawChart(chartOf('pie', [-1, 0]))).toContain('No values above 0 in this range.')
})

it('a description names a series with an empty name', () => {
  const chart = chartOf('values', [3])
  expect(
    describeChart({ ...chart, series: chart.series.map((one) => ({ ...one, name: '' })) })
  ).toContain('(empty): 3.')
})

/** A theme in which all series have the same colour. */
const GREY = { ...THEME.light, colors: ['#808080'] }

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

describe.each(THEMES)('the colours of the theme %s', (name) => {
  const { paper, ink, soft, colors } = THEME[name]

  it.each([ink, soft, ...colors])('%s has a contrast of 4.5:1 against the paper', (color) => {
    expect(contrast(color, paper)).toBeGreaterThanOrEqual(4.5)
  })
})

it.each<[string, (index: number) => string]>([
  ['points', (index) => point(GREY, index, { x: 0, y: 0 })],
  [
    'surfaces',
    (index) =>
      surfaces(GREY, index + 1)
        .split('<pattern')
        .at(-1)
        ?.replace(/id="s\d+"/, '') ?? ''
  ]
])('12 series differ in their %s, also without colours', (_, draw) => {
  const marks = Array.from({ length: 12 }, (_, index) => draw(index))

  expect(new Set(marks).size).toBe(12)
})

describe('any chart', () => {
  const number = fc.oneof(
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    fc.integer({ min: 0, max: 100 }),
    fc.constant(0)
  )
  const chart = fc.record({
    title: fc.string({ unit: 'binary' }),
    subtitle: fc.string(),
    kind: fc.constantFrom(...KINDS),
    size: fc.integer({ min: 0, max: 60 }),
    names: fc.array(fc.string({ unit: 'binary' }), { maxLength: 30 }),
    isCompared: fc.boolean(),
    numbers: fc.infiniteStream(number)
  })
  const pixels = fc.integer({ min: SIZES.least, max: SIZES.most })

  it('is well-formed, and all its coordinates are numbers', () => {
    fc.assert(
      fc.property(
        chart,
        pixels,
        pixels,
        ({ size, names, isCompared, numbers, ...rest }, width, height) => {
          const take = (count: number) =>
            Array.from({ length: count }, () => numbers.next().value ?? 0)
          const length = ['values', 'pie', 'number', 'table'].includes(rest.kind) ? 1 : size
          const series = names.map((name) => ({
            name,
            data: take(length),
            ...(isCompared && { previous: take(length) })
          }))
          const buckets = Array.from({ length }, (_, i) => `${i} Jun`)

          const svg = drawChart({ ...rest, buckets, series }, { width, height })

          expect(withoutTexts(svg)).not.toMatch(/NaN|Infinity|undefined|null/)
          expect(unclosedIn(svg)).toEqual([])
        }
      ),
      deep(500)
    )
  })
})

/** Returns an SVG without the texts of its elements, which may hold any word. */
const withoutTexts = (svg: string): string =>
  svg.replaceAll(/<(text|title|desc)\b([^>]*)>[^<]*/g, '<$1$2>')

/** Returns the elements that are still open at the end of an SVG. */
function unclosedIn(svg: string): string[] {
  const open: string[] = []
  for (const [, slash, name = '', end] of svg.matchAll(/<(\/?)([a-zA-Z]+)[^>]*?(\/?)>/g)) {
    if (slash) {
      expect(open.pop()).toBe(name)
    } else if (!end) {
      open.push(name)
    }
  }
  return open
}

it.each([
  [9, 8, '+12.5%', '+12.5% from 8'],
  [4, 8, '−50%', '−50% from 8'],
  [2, -4, '+150%', '+150% from -4'],
  [8, 8, 'no change', 'no change'],
  [0, 0, 'no change', 'no change'],
  [3, 0, 'new', 'new'],
  [0, 1_200, '−100%', '−100% from 1,200'],
  [3, null, '', ''],
  [3, undefined, '', '']
])('a change to %d from %s is described', (value, previous, change, described) => {
  expect([formatChange(value, previous), describeChange(value, previous)]).toEqual([
    change,
    described
  ])
})

/** Returns the texts of an SVG, each with its baseline `y` and its left and right ends in pixels. */
function textsOf(svg: string) {
  const middle = svg.includes('text-anchor="middle"')
  return [...svg.matchAll(/<text([^>]*)>([^<]*)</g)].map(([, attributes = '', text = '']) => {
    const read = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]
    const width = widthOf(text, Number(read('font-size')))
    const x = Number(read('x'))
    const shift = { end: width, middle: width / 2, start: 0 }[
      read('text-anchor') ?? (middle ? 'middle' : 'start')
    ]
    const from = x - (shift ?? 0)
    return { text, y: Number(read('y')), from, until: from + width }
  })
}

describe('a very large change', () => {
  const chartOf = (kind: 'number' | 'table'): Chart => ({
    title: '',
    subtitle: '',
    kind,
    buckets: ['1 Jun'],
    series: [{ name: 'Views', data: [1_234_567.89], previous: [0.01] }]
  })

  it('is to the right of the value, without touching it', () => {
    const texts = textsOf(drawChart(chartOf('table'), { width: 600, height: 320 }))
    const value = texts.find(({ text }) => text === '1,234,567.89')
    const change = texts.find(({ text }) => text.startsWith('+'))

    expect(change?.y).toBe(value?.y)
    expect(change?.from).toBeGreaterThan(value?.until ?? Number.POSITIVE_INFINITY)
  })

  it('fits below a number in the narrowest chart', () => {
    const svg = drawChart(chartOf('number'), { width: SIZES.least, height: SIZES.least })
    const change = textsOf(svg).find(({ text }) => text.startsWith('+'))

    expect(change?.from).toBeGreaterThanOrEqual(0)
    expect(change?.until).toBeLessThanOrEqual(SIZES.least)
  })
})

it.each([
  [1_234_567.891, '1,234,567.89'],
  [0.25, '0.25'],
  [0.0042, '0.0042'],
  [-0.012345, '-0.0123'],
  [1.5e-9, '1.5e-9'],
  [0, '0']
])('the value %d is shown as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})

it('the list beside a pie shows number and share even of a long name', () => {
  const svg = drawChart({
    title: '',
    subtitle: '',
    kind: 'pie',
    buckets: ['1 Jun'],
    series: [
      { name: 'Other (i.e. all remaining values)', data: [1_234] },
      {
        name: 'A name that is much longer than any list has room for, whatever its size',
        data: [8_638]
      }
    ]
  })

  const texts = textsOf(svg).map(({ text }) => text)
  expect(texts.some((text) => /^Other \(i\.e\. .* · 1,234 · 12\.5%$/.test(text))).toBe(true)
  expect(texts.some((text) => /^A name .*… · 8,638 · 87\.5%$/.test(text))).toBe(true)
})
