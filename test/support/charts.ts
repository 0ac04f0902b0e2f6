import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Board, drawBoard } from '../../src/charts/board.ts'
import type { Chart } from '../../src/charts/chart.ts'
import { drawChart } from '../../src/charts/draw.ts'
import { rasterize, startRaster } from '../../src/charts/raster.ts'
import type { ThemeName } from '../../src/html/tokens.ts'

/*
 * The pictures below docs/charts/, which `npm run charts` draws for people to look at and compare.
 */

const DAYS = Array.from({ length: 14 }, (_, i) => `${i + 8} Nov`)

/** A wave of whole numbers, none below zero; the last two of every seven are lower. */
const wave = (length: number, height: number, phase: number): number[] =>
  Array.from({ length }, (_, i) =>
    Math.max(0, Math.round(height * (1.5 + Math.sin(i / 2 + phase) - (i % 7 > 4 ? 0.4 : 0))))
  )

const BROWSERS = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Other'].map((name, i) => ({
  name,
  data: wave(14, 40 / (i + 1), i)
}))
/** Totals of the period before, in the order of `BROWSERS`. */
const PREVIOUS_TOTALS = [900, 180, 310, 90, 0]
const TOTALS = BROWSERS.map(({ name, data }, i) => ({
  name,
  data: [data.reduce((sum, value) => sum + value, 0)],
  previous: [PREVIOUS_TOTALS[i] ?? 0]
}))
const RANGE = '8 – 21 Nov 2026 · Europe/Berlin'
const OVER = { days: [], finished: DAYS.length, total: null, warning: null }
const VIEWS = {
  title: 'Page views by browser',
  subtitle: RANGE,
  counted: 'Page view, events by day',
  buckets: DAYS,
  ...OVER
}
const SIGNUPS = {
  title: 'Sign-ups',
  subtitle: RANGE,
  counted: 'signed up, unique persons by day',
  buckets: DAYS,
  ...OVER
}
/** The last day is not over. */
const TODAY = { buckets: DAYS.with(-1, 'Today'), finished: DAYS.length - 1 }
const signups = { name: 'Sign-ups', data: wave(14, 40, 0) }

const FUNNEL: Omit<Chart, 'series'> = {
  ...OVER,
  title: 'Sign-up to team',
  subtitle: RANGE,
  counted: 'Persons within 14 days; most leave before Signed up: 1,864',
  kind: 'funnel',
  buckets: ['Visited /signup', 'Signed up', 'Created a project', 'Invited a teammate']
}

/** Members of each week, and who came back in the weeks after it. The last week of each is not over. */
const COHORTS = [
  [91, 57, 44, 38, 34, 33, 30, 29, 29],
  [104, 61, 48, 42, 40, 36, 35, 34],
  [84, 55, 42, 37, 33, 31, 30],
  [117, 72, 56, 50, 45, 44],
  [132, 88, 70, 61, 57],
  [128, 87, 71, 62],
  [141, 101, 81],
  [153, 108]
]
const WEEKS = ['28 Sep', '5 Oct', '12 Oct', '19 Oct', '26 Oct', '2 Nov', '9 Nov', '16 Nov']
const RETENTION: Omit<Chart, 'series'> = {
  ...OVER,
  title: 'Weekly retention',
  subtitle: '28 Sep – 22 Nov 2026 · Europe/Berlin',
  counted: 'Persons by the first signed up; share that came back with any event by week',
  kind: 'retention',
  buckets: Array.from({ length: 9 }, (_, week) => `Week ${week}`)
}

/** Returns the rows of a value of a breakdown, of whom fewer come back. */
const cohorts = (value: string | undefined, fewer: number): Chart['series'] =>
  COHORTS.map(([size = 0, ...back], i) => ({
    name: WEEKS[i] ?? '',
    data: [size, ...back.map((count) => Math.round(count / fewer))],
    cohort: {
      day: '2026-09-28',
      ...(value !== undefined && { value }),
      finished: back.length,
      begun: back.length + 1
    }
  }))

const CHARTS: Record<string, Chart> = {
  line: { ...SIGNUPS, kind: 'line', series: [signups] },
  lines: { ...VIEWS, kind: 'line', series: BROWSERS },
  compare: {
    ...SIGNUPS,
    ...TODAY,
    counted: 'signed up, unique persons by day; thin: 25 Oct – 7 Nov 2026',
    kind: 'line',
    series: [{ name: 'Sign-ups', data: signups.data.with(-1, 12), previous: wave(14, 30, 1) }]
  },
  annotated: {
    ...SIGNUPS,
    ...TODAY,
    kind: 'line',
    series: [{ name: 'Sign-ups', data: signups.data.with(-1, 12) }],
    annotations: [
      { bucket: 2, text: 'v2.1 released' },
      { bucket: 8, text: 'Price list' },
      { bucket: 9, text: 'Campaign in Denmark and Norway with posters' },
      { bucket: 13, text: 'Newsletter to everybody' }
    ]
  },
  'lines-today': {
    ...VIEWS,
    ...TODAY,
    kind: 'line',
    series: BROWSERS.slice(0, 4).map(({ name, data }) => ({ name, data: data.with(-1, 5) }))
  },
  'area-today': { ...VIEWS, ...TODAY, kind: 'area', series: BROWSERS },
  'stacked-today': { ...VIEWS, ...TODAY, kind: 'stacked', series: BROWSERS },
  'bars-today': { ...SIGNUPS, ...TODAY, kind: 'bars', series: [signups] },
  area: { ...VIEWS, kind: 'area', series: BROWSERS },
  bars: {
    ...SIGNUPS,
    title: 'Sign-ups and invites',
    kind: 'bars',
    series: [signups, { name: 'Invites', data: wave(14, 22, 2) }]
  },
  'bars-compare': {
    ...SIGNUPS,
    buckets: DAYS.slice(0, 7),
    finished: 7,
    counted: 'signed up, unique persons by day; grey: 1 – 7 Nov 2026',
    kind: 'bars',
    series: [{ ...signups, data: signups.data.slice(0, 7), previous: wave(7, 30, 1) }]
  },
  stacked: { ...VIEWS, kind: 'stacked', series: BROWSERS },
  values: { ...VIEWS, kind: 'values', series: TOTALS },
  countries: {
    ...SIGNUPS,
    title: 'Sign-ups by country',
    kind: 'countries',
    series: ['Germany', 'United States', 'Denmark', 'Portugal', 'No value', 'Others'].map(
      (name, i) => ({ name, data: [480 - 90 * i], isRest: name === 'Others' })
    )
  },
  pie: { ...VIEWS, kind: 'pie', series: TOTALS, total: 1_653 },
  'pie-of-persons': { ...VIEWS, kind: 'pie', series: TOTALS },
  number: {
    ...SIGNUPS,
    title: 'Weekly active users',
    kind: 'number',
    series: [{ name: 'Weekly active users', data: [12_345], previous: [11_000] }]
  },
  table: { ...VIEWS, kind: 'table', series: TOTALS },
  numbers: {
    ...SIGNUPS,
    title: 'Visitors, views and sessions',
    counted: 'Sessions that began in the range',
    kind: 'numbers',
    buckets: ['Visitors', 'Views', 'Sessions', 'Session duration', 'Bounce rate'],
    columns: [{}, {}, {}, { unit: 'seconds' }, { unit: 'percent', isIncreaseBad: true }],
    series: [
      {
        name: 'All visits',
        data: [1_284, 5_377, 1_902, 137, 41.3],
        previous: [1_101, 5_612, 1_902, 122, 38.9]
      }
    ]
  },
  pages: {
    ...SIGNUPS,
    title: 'Visitors by page',
    counted: 'Visitors, views and bounce rate by page',
    kind: 'table',
    buckets: ['Visitors', 'Views', 'Bounce rate'],
    columns: [{}, {}, { unit: 'percent', isIncreaseBad: true }],
    series: [
      { name: '/', data: [812, 1_340, 38.2], previous: [702, 1_201, 41] },
      { name: '/pricing', data: [401, 522, 61.5], previous: [377, 498, 58.1] },
      { name: '/docs/getting-started-with-funnels', data: [133, 410], previous: [133, 397] },
      { name: '/signup', data: [98, 120, 12.5], previous: [0, 0] }
    ]
  },
  funnel: {
    ...FUNNEL,
    series: [
      {
        name: 'Persons',
        data: [2_482, 618, 441, 203],
        times: [
          { average: null, median: null },
          { average: 190, median: 72 },
          { average: 900, median: 278 },
          { average: 130_000, median: 97_200 }
        ]
      }
    ]
  },
  'funnel-values': {
    ...FUNNEL,
    title: 'Sign-up to team by country',
    series: [
      { name: 'Germany', data: [702, 211, 164, 83] },
      { name: 'United States', data: [664, 148, 96, 38] },
      { name: 'Denmark', data: [418, 119, 88, 46] },
      { name: 'Others', data: [698, 140, 93, 36], isRest: true }
    ]
  },
  retention: { ...RETENTION, series: cohorts(undefined, 1) },
  'retention-values': {
    ...RETENTION,
    title: 'Weekly retention by browser',
    series: [...cohorts('Chrome', 1), ...cohorts('Safari', 1.2), ...cohorts('Firefox', 1.5)]
  },
  lifecycle: {
    ...SIGNUPS,
    ...TODAY,
    title: 'Lifecycle of Page view',
    counted: 'Page view, persons by day',
    kind: 'stacked',
    series: [
      { name: 'New', data: wave(14, 12, 0) },
      { name: 'Returning', data: wave(14, 22, 1) },
      { name: 'Resurrecting', data: wave(14, 6, 2) },
      { name: 'Dormant', data: wave(14, 11, 3).map((value) => -value) }
    ]
  },
  unknown: {
    ...SIGNUPS,
    kind: 'line',
    series: [{ name: 'signed_up', data: DAYS.map(() => 0) }],
    warning: 'No event is called “signed_up”. Did you mean “signed up”?'
  },
  empty: { ...SIGNUPS, kind: 'line', series: [{ ...signups, data: DAYS.map(() => 0) }] },
  'one-bucket': {
    ...SIGNUPS,
    buckets: ['21 Nov'],
    finished: 1,
    kind: 'line',
    series: [
      { name: 'Sign-ups', data: [17] },
      { name: 'Invites', data: [4] }
    ]
  },
  negative: {
    ...SIGNUPS,
    title: 'Net change',
    kind: 'bars',
    series: [{ name: 'Net change', data: wave(14, 20, 0).map((value) => value - 28) }]
  },
  hours: {
    ...SIGNUPS,
    finished: 2_160,
    kind: 'line',
    buckets: Array.from({ length: 2_160 }, (_, i) => `${(Math.floor(i / 24) % 30) + 1} Nov 0:00`),
    series: [
      { name: 'Sign-ups', data: wave(2_160, 90, 0).map((value, i) => value + ((i * 7_919) % 50)) }
    ]
  },
  many: {
    ...VIEWS,
    title: 'Twenty values, 日本語 <b> & "quotes"',
    kind: 'stacked',
    series: Array.from({ length: 20 }, (_, i) => ({
      name: `value ${i} ${'x'.repeat(i)}`,
      data: wave(14, 20, i)
    }))
  },
  scripts: {
    ...SIGNUPS,
    title: 'Anmeldungen: Łódź, Αθήνα, Київ, Hà Nội',
    kind: 'values',
    series: [
      'Łódź',
      'Αθήνα',
      'Київ',
      'Hà Nội',
      'São Paulo',
      'תל אביב (12)',
      '東京',
      '👩‍👩‍👧‍👦 Family'
    ].map((name, i) => ({ name, data: [120 - 12 * i] }))
  },
  'scripts-legend': {
    ...SIGNUPS,
    title: 'Регистрации по городам',
    kind: 'bars',
    series: [
      'Екатеринбург',
      'Нижний Новгород',
      'תל אביב',
      'القاهرة',
      '👩‍👩‍👧‍👦 Family',
      '日本語'
    ].map((name, i) => ({ name, data: wave(14, 40 / (i + 1), i) }))
  },
  'scripts-pie': {
    ...SIGNUPS,
    title: 'תל אביב 2026',
    kind: 'pie',
    series: ['תל אביב', 'القاهرة', 'Київ', 'Berlin'].map((name, i) => ({
      name,
      data: [120 - 17 * i]
    }))
  }
}

const { lines, number, stacked } = CHARTS
const BOARD: Board = {
  title: 'Weekly review',
  subtitle: 'Europe/Berlin · 2 more insights are not drawn',
  tiles: [
    ...[lines, number, stacked].filter((chart) => chart !== undefined),
    { title: 'Revenue', failure: 'This insight has no series yet.' }
  ]
}

/** Charts that are also drawn dark, and for phones. */
const NAMES = [
  ...['lines', 'compare', 'annotated', 'stacked', 'values', 'pie', 'number', 'numbers', 'table'],
  ...['pages', 'funnel', 'funnel-values', 'retention']
]

const LOOKS: {
  suffix: string
  width: number
  height: number
  theme: ThemeName
  names: string[]
}[] = [
  { suffix: '', width: 600, height: 320, theme: 'light', names: Object.keys(CHARTS) },
  {
    suffix: '-dark',
    width: 600,
    height: 320,
    theme: 'dark',
    names: [...NAMES, 'lifecycle']
  },
  {
    suffix: '-phone',
    width: 343,
    height: 280,
    theme: 'light',
    names: NAMES
  }
]

/** Pictures that docs/charts/ also has as PNG. */
const PAINTED = [
  'lines',
  'compare',
  'lines-today',
  'stacked-dark',
  'values',
  'pie-phone',
  'number',
  'table-dark',
  'negative',
  'funnel',
  'retention-dark',
  'many',
  'scripts',
  'scripts-legend',
  'scripts-pie',
  'dashboard'
]

/** Draws the pictures. @returns the SVG of each by its file name */
export const drawPictures = (): Map<string, string> =>
  new Map([
    ...LOOKS.flatMap(({ suffix, names, ...options }) =>
      names.flatMap((name) => {
        const chart = CHARTS[name]
        return chart ? [[`${name}${suffix}.svg`, `${drawChart(chart, options)}\n`] as const] : []
      })
    ),
    ['dashboard.svg', `${drawBoard(BOARD, { height: 280 })}\n`],
    [
      'dashboard-empty.svg',
      `${drawBoard({ ...BOARD, subtitle: '', tiles: [] }, { height: 160 })}\n`
    ]
  ])

const { resolve } = createRequire(import.meta.url)
const read = (module: string) => readFileSync(resolve(module))

/** The font of images. */
export const REGULAR = read('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf')

/** Starts the renderer; call it only once per process. @returns a function that draws an SVG as PNG */
export async function openPainter(): Promise<(svg: string) => Uint8Array> {
  await startRaster(read('@resvg/resvg-wasm/index_bg.wasm'))
  const fonts = [REGULAR, read('@expo-google-fonts/arimo/600SemiBold/Arimo_600SemiBold.ttf')]
  return (svg) => rasterize(svg, fonts)
}

/** Draws pictures as PNG. @returns the PNG of each by its file name */
export function paintPictures(paint: (svg: string) => Uint8Array): Map<string, Uint8Array> {
  const drawn = drawPictures()
  return new Map(
    PAINTED.map((name) => [`${name}.png`, paint(drawn.get(`${name}.svg`) ?? '')] as const)
  )
}
