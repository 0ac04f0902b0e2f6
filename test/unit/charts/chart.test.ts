import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chart, hasBuckets, KINDS } from '../../../src/charts/chart.ts'
import { describeChart } from '../../../src/charts/describe.ts'
import { drawChart, drawInset, namesOf, SIZES } from '../../../src/charts/draw.ts'
import {
  describeChange,
  formatChange,
  formatTick,
  formatValue
} from '../../../src/charts/format.ts'
import { spread, stack } from '../../../src/charts/lines.ts'
import { surfaces } from '../../../src/charts/marks.ts'
import { dashOf, MAX_SERIES, type Pen } from '../../../src/charts/pen.ts'
import { scaleOf } from '../../../src/charts/scale.ts'
import { shorten, widthOf, wrap } from '../../../src/charts/text.ts'
import { LIGHT } from '../../../src/html/tokens.ts'
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
    [-2_000_000, '−2M']
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
    expect(wrap('averyveryverylongword short', 12, 60)).toEqual(['averyv…', 'short'])
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
    counted: 'Events by day',
    kind: 'line',
    buckets: ['1 Jun', '2 Jun', '3 Jun'],
    days: ['2025-06-01', '2025-06-02', '2025-06-03'],
    series: [{ name: 'Sign-ups', data: [3, 40, 12] }],
    finished: 3,
    total: null,
    warning: null
  }

  expect(describeChart(chart)).toBe(
    'Line chart, 1 Jun to 3 Jun, UTC. Events by day. Sign-ups: 3, 40, 12.'
  )
  const two = { ...chart, series: [...chart.series, { name: 'סיום 7', data: [1, 2, 1] }] }
  expect(describeChart(two)).toContain(
    'Sign-ups: 3 to 40, last 12. \u2068סיום 7\u2069: 1 to 2, last 1.'
  )
})

/** Returns a chart whose series have these values, each at a single time. */
const chartOf = (kind: Chart['kind'], values: number[]): Chart => ({
  title: 'Views',
  subtitle: 'UTC',
  counted: '',
  kind,
  buckets: ['1 Jun'],
  days: ['2025-06-01'],
  series: values.map((value, i) => ({ name: `s${i}`, data: [value] })),
  finished: 1,
  total: null,
  warning: null
})

it.each([
  [8, []],
  [9, ['1 more series is not drawn']],
  [10, ['2 more series are not drawn']]
])('of %i lines, the eight largest are drawn', (count, notes) => {
  const values = Array.from({ length: count }, (_, i) => i + 1)
  const svg = drawChart(chartOf('line', values))
  expect(svg.match(/>s\d+</g)).toEqual(values.slice(-8).map((value) => `>s${value - 1}<`))
  expect(svg.match(/\d more series (is|are) not drawn/g) ?? []).toEqual(notes)
})

it.each(['stacked', 'pie'] as const)('of ten parts of a %s, two are drawn as one', (kind) => {
  const svg = drawChart(chartOf(kind, Array<number>(10).fill(1)), { height: 480 })
  expect(svg.match(/>(s\d+|2 others)</g)).toHaveLength(9)
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

/** A pen with which all series have the same colour. */
const GREY: Pen = {
  colors: {
    ...LIGHT,
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((n) => [`d${n}`, '#888']))
  },
  size: 11,
  id: ''
}

it('surfaces that touch differ without colours', () => {
  const drawn = Array.from({ length: MAX_SERIES }, (_, index) =>
    surfaces(GREY, index + 1)
      .split('<pattern')
      .at(-1)
      ?.replace(/id="s\d+"/, '')
  )

  expect(new Set(drawn).size).toBe(MAX_SERIES)
})

it('lines from the fifth on have a dash of their own', () => {
  const dashes = Array.from({ length: MAX_SERIES }, (_, index) => dashOf(index))

  expect(dashes.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined])
  expect(new Set(dashes.slice(4)).size).toBe(4)
})

it.each([
  [
    [50, 52],
    [50, 65]
  ],
  [
    [52, 50, 10],
    [65, 50, 10]
  ],
  [
    [99, 99, 99],
    [70, 85, 100]
  ]
])('names at %j are moved to %j', (positions, places) => {
  expect(spread(positions, 0, 100)).toEqual(places)
})

describe('a bucket that is not over', () => {
  const openOf = (kind: Chart['kind'], count = 1): Chart => ({
    ...chartOf(kind, []),
    buckets: ['1 Jun', '2 Jun', 'Today', '4 Jun'],
    series: Array.from({ length: count }, (_, i) => ({ name: `s${i}`, data: [9, 8, 2, 0] })),
    finished: 2
  })

  it('is an open circle at the end of a dotted line, which does not fall to 0 after it', () => {
    const svg = drawChart(openOf('line'))
    const lines = [...svg.matchAll(/<path d="([^"]*)" fill="none"[^>]*>/g)].map(
      ([path, d = '']) => ({ points: d.split(/[ML]/).length - 1, isDotted: path.includes('1 4.5') })
    )

    expect(lines).toEqual([
      { points: 2, isDotted: false },
      { points: 2, isDotted: true }
    ])
    expect(svg).toMatch(/<circle [^>]*fill="#ffffff" stroke="#2b59d9"/)
  })

  it.each(['bars', 'stacked'] as const)('is a pale bar with a dashed edge: %s', (kind) => {
    const bars = drawChart(openOf(kind, 2)).match(/<rect [^>]*stroke-dasharray="3 2"/g)
    expect(bars).toHaveLength(2)
  })

  it('is a pale end of an area', () => {
    expect(drawChart(openOf('area', 2)).match(/<path [^>]*stroke-dasharray="3 2"/g)).toHaveLength(2)
  })
})

describe('ranked bars', () => {
  const svg = drawChart({
    ...chartOf('values', [40, 20, 10]),
    series: [
      { name: 'Germany', data: [40], previous: [0] },
      { name: 'תל אביב', data: [20], previous: [10] },
      { name: 'Others', data: [90], isRest: true }
    ]
  })

  it('have one pale hue, and none for the rest', () => {
    const bars = [...svg.matchAll(/<rect x[^>]*fill="([^"]*)"/g)].map(([, fill]) => fill)
    expect(bars).toEqual([LIGHT.h1, LIGHT.h1])
    expect(svg).not.toContain('<pattern')
  })

  it('isolate names that are written from right to left', () => {
    expect(svg).toContain('>\u2068תל אביב\u2069<')
  })

  it('do not call a value new', () => {
    expect(svg).not.toContain('new')
    expect(svg).toContain('>+100%<')
  })
})

it.each([
  [null, []],
  [1_234, ['1,234']]
])('the hole of a pie with the total %s shows %j', (total, shown) => {
  const svg = drawChart({ ...chartOf('pie', [30, 20]), total })
  const inHole = [...svg.matchAll(/text-anchor="middle"[^>]*>([^<]*)</g)].map(([, text]) => text)
  expect(inHole).toEqual(shown)
})

it.each(['line', 'area', 'bars', 'stacked', 'pie'] as const)(
  'the rest of all values is grey, whatever its place: %s',
  (kind) => {
    const svg = drawChart({
      ...chartOf(kind, []),
      series: [
        { name: 'Germany', data: [40, 20] },
        { name: 'Others', data: [9, 8], isRest: true }
      ]
    })
    const drawn = svg.replace(/<defs>.*<\/defs>/s, '')

    expect(drawn).not.toMatch(new RegExp(`${LIGHT.d2}|#chart-s1`))
    expect(drawn).toMatch(new RegExp(`<(path|rect) [^>]*(fill|stroke)="${LIGHT.axis}"`))
  }
)

it.each(['area', 'bars', 'stacked'] as const)('the line at zero is not hidden: %s', (kind) => {
  const svg = drawChart({
    ...chartOf(kind, []),
    series: ['a', 'b'].map((name) => ({ name, data: [4, 2] }))
  })
  const zero = svg.indexOf(`stroke="${LIGHT.axis}"`)

  expect(zero).toBeGreaterThan(Math.max(svg.lastIndexOf('<rect'), svg.lastIndexOf('<path')))
})

it('a single number stands below its title, however high the chart is', () => {
  const [low, high] = [200, 1_000].map((height) =>
    textsOf(drawChart(chartOf('number', [12_345]), { width: 600, height })).find(
      ({ text }) => text === '12,345'
    )
  )

  expect(high?.y).toBe(low?.y)
})

it('the list beside a pie is as high as its middle', () => {
  const svg = drawChart(chartOf('pie', [30, 20]), { width: 600, height: 320 })
  const [, top = 0] = /M[\d.]+ ([\d.]+)A/.exec(svg) ?? []
  const [, radius = 0] = /A([\d.]+) /.exec(svg) ?? []
  const marks = [...svg.matchAll(/<rect [^>]*y="([\d.]+)" width="10"/g)].map(
    ([, y]) => Number(y) + 5
  )
  const sum = marks.reduce((added, y) => added + y, 0)

  expect(sum / marks.length).toBeCloseTo(Number(top) + Number(radius), 0)
})

it('an event that does not exist is said, and not drawn as 0', () => {
  const warning = 'No event is called “a”. Did you mean “b”?'
  const svg = drawChart({ ...chartOf('line', [0]), warning })

  expect(svg).toContain(`>${warning}</text>`)
  expect(svg).toContain(`${warning} s0: 0.</desc>`)
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
    share: fc.double({ min: 0, max: 1, noNaN: true }),
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
        ({ size, share, names, isCompared, numbers, ...rest }, width, height) => {
          const take = (count: number) =>
            Array.from({ length: count }, () => numbers.next().value ?? 0)
          const length = hasBuckets(rest.kind) ? size : 1
          const series = names.map((name) => ({
            name,
            data: take(length),
            ...(isCompared && { previous: take(length) })
          }))
          const buckets = Array.from({ length }, (_, i) => `${i} Jun`)

          const chart = {
            ...rest,
            counted: 'Events',
            buckets,
            days: [],
            series,
            finished: Math.floor(length * share),
            total: null,
            warning: null
          }
          const svg = drawChart(chart, { width, height })

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
  [4, 8, '−50.0%', '−50.0% from 8'],
  [2, -4, '+150%', '+150% from −4'],
  [8, 8, 'no change', 'no change'],
  [0, 0, 'no change', 'no change'],
  [3, 0, '', ''],
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
  return [...svg.replaceAll(/<\/?tspan[^>]*>/g, '').matchAll(/<text([^>]*)>([^<]*)</g)].map(
    ([, attributes = '', text = '']) => {
      const read = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]
      const width = widthOf(text, Number(read('font-size')))
      const x = Number(read('x'))
      const shift = { end: width, middle: width / 2, start: 0 }[
        read('text-anchor') ?? (middle ? 'middle' : 'start')
      ]
      const from = x - (shift ?? 0)
      return { text, y: Number(read('y')), from, until: from + width }
    }
  )
}

describe('numbers whose increase is bad', () => {
  const RATES: Chart = {
    ...chartOf('numbers', []),
    buckets: ['Bounce rate', 'Views'],
    columns: [{ unit: 'percent', isIncreaseBad: true }, {}],
    series: [{ name: 'All visits', data: [0, 12], previous: [40, 10] }]
  }
  const colorOf = (svg: string, text: string) =>
    new RegExp(`fill="([^"]*)"[^>]*>${text.replace('+', '\\+')}<`).exec(svg)?.[1]

  it.each(['numbers', 'table'] as const)('are green when they fall: %s', (kind) => {
    const svg = drawChart({ ...RATES, kind })

    expect(colorOf(svg, '−40.0 pt')).toBe(LIGHT.good)
    expect(colorOf(svg, '+20.0%')).toBe(LIGHT.good)
  })

  it('are red when they rise', () => {
    const svg = drawChart({
      ...RATES,
      series: [{ name: 'All visits', data: [41, 9], previous: [40, 10] }]
    })

    expect(colorOf(svg, '+1.0 pt')).toBe(LIGHT.bad)
    expect(colorOf(svg, '−10.0%')).toBe(LIGHT.bad)
  })
})

it.each([600, 343, SIZES.least])('no two texts of numbers touch: %i pixels wide', (width) => {
  const svg = drawChart(
    {
      ...chartOf('numbers', []),
      buckets: ['Visitors', 'Views', 'Sessions', 'Session duration', 'Bounce rate'],
      series: [{ name: 'All', data: [1, 2, 3, 4, 5], previous: [5, 4, 3, 2, 1] }]
    },
    { width, height: width === SIZES.least ? 480 : 280 }
  )
  const texts = textsOf(svg)

  for (const [i, one] of texts.entries()) {
    const beside = texts.slice(i + 1).filter(({ y }) => Math.abs(y - one.y) < 10)
    expect(beside.filter(({ from, until }) => from < one.until && one.from < until)).toEqual([])
  }
})

describe('a very large change', () => {
  const largeOf = (kind: 'number' | 'table'): Chart => ({
    ...chartOf(kind, []),
    series: [{ name: 'Views', data: [1_234_567.89], previous: [0.01] }]
  })

  it('is to the right of the value, without touching it', () => {
    const texts = textsOf(drawChart(largeOf('table'), { width: 600, height: 320 }))
    const value = texts.find(({ text }) => text === '1,234,567.89')
    const change = texts.find(({ text }) => text.startsWith('+'))

    expect(change?.y).toBe(value?.y)
    expect(change?.from).toBeGreaterThan(value?.until ?? Number.POSITIVE_INFINITY)
  })

  it('fits below a number in the narrowest chart', () => {
    const svg = drawChart(largeOf('number'), { width: SIZES.least, height: SIZES.least })
    const change = textsOf(svg).find(({ text }) => text.startsWith('+'))

    expect(change?.from).toBeGreaterThanOrEqual(0)
    expect(change?.until).toBeLessThanOrEqual(SIZES.least)
  })
})

it.each([
  [1_234_567.891, '1,234,567.89'],
  [0.25, '0.25'],
  [0.0042, '0.0042'],
  [-0.012345, '−0.0123'],
  [1.5e-9, '1.5e-9'],
  [0, '0']
])('the value %d is shown as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})

it('the list beside a pie shows number and share even of a long name', () => {
  const name = 'A name that is much longer than any list has room for, whatever its size'
  const series = [
    { name: 'Others', data: [1_234] },
    { name, data: [8_638] }
  ]
  const texts = textsOf(drawChart({ ...chartOf('pie', []), series })).map(({ text }) => text)

  expect(texts).toEqual(expect.arrayContaining(['12.5%', '1,234', '87.5%', '8,638']))
  expect(texts.some((text) => /^A name .*…$/.test(text))).toBe(true)
})

describe('the labels of the time axis', () => {
  const HOURS = Array.from({ length: 25 }, (_, i) => `${26 + Math.floor(i / 24)} Nov ${i % 24}:00`)

  it.each([552, 474, 317, 200])('do not overlap at a width of %i pixels', (width) => {
    for (const count of [2, 7, 24, 25]) {
      for (const finished of [count - 1, count]) {
        const buckets = HOURS.slice(-count)
        const series = [{ name: 'Views', data: Array<number>(count).fill(1) }]
        const chart = { ...chartOf('line', []), series, buckets, finished }
        const svg = drawInset(chart, { width, height: 160, size: 13, colors: LIGHT, id: 'c-' })
        const labels = [...svg.matchAll(/<text x="([\d.]+)"[^>]*>(\d+ Nov \d+:00)</g)].map(
          ([, x, text = '']) => ({ x: Number(x), half: widthOf(text, 13) / 2 })
        )
        const gaps = labels
          .slice(1)
          .map((one, i) => one.x - one.half - ((labels[i]?.x ?? 0) + (labels[i]?.half ?? 0)))
        expect([labels.length > 0, gaps.filter((gap) => gap < 5)]).toEqual([true, []])
      }
    }
  })
})

it('a chart leaves the names of its series to the text beside it, with their colours', () => {
  const chart = {
    ...chartOf('line', []),
    buckets: ['1 Jun', '2 Jun'],
    series: ['東京', 'Köln'].map((name) => ({ name, data: [1, 2] }))
  }
  const look = { width: 552, height: 160, colors: LIGHT, id: 'c-' }
  const drawn = (svg: string) => svg.replace(/<desc.*<\/desc>/, '')

  expect(drawn(drawInset(chart, look))).toContain('東京')
  expect(drawn(drawInset(chart, { ...look, isNamed: false }))).not.toMatch(/東京|Köln/)
  expect(namesOf(chart, LIGHT)).toEqual([
    { name: '東京', color: LIGHT.d1 },
    { name: 'Köln', color: LIGHT.d2 }
  ])
})
