import { kindOf, type Volume, volumeOf } from './support/events.ts'
import { watchHeap } from './support/heap.ts'
import { loadOthers, loadOthersFor, OTHERS, type Target } from './support/others.ts'
import {
  type Ask,
  NODE_NAMES,
  QUESTIONS,
  type QuestionName,
  questionsTo,
  TREND_NAMES,
  type TrendName
} from './support/questions.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { inTemporaryAsync, type Runtime, startWorkers, untilLogged } from './support/runtime.ts'
import { seal } from './support/seal.ts'
import { seedProject, storePersons } from './support/seed.ts'
import { storeEvents } from './support/storing.ts'

/** Targets: median time of a question about the largest number of events, ms. */
const MAX_MS: Partial<Record<QuestionName, number>> = {
  filter: 350,
  sum: 350,
  breakdown: 350,
  dau: 300,
  funnel: 800,
  retention: 600,
  lifecycle: 600,
  overview: 2_000
}

/**
 * Medians in ms of the engine that read rows only, with 1,000,000 events. `total`, `filter`, `sum`, `breakdown`, `dau` and
 * `weekly active` were recorded at commit c609a26. The others were measured at f48b32f on a busy machine and divided by
 * 1.2, because in that run the six recorded questions took about 1.2 times their recorded medians.
 */
const BEFORE_COLUMNS: Record<TrendName, number> = {
  total: 14.4,
  filter: 451,
  sum: 510,
  median: 900,
  breakdown: 522,
  'two breakdowns': 1_590,
  'person breakdown': 1_750,
  dau: 376,
  'dau by the hour': 510,
  'weekly active': 361,
  'first time': 505
}
/** Target: time of a question about unsealed events, as a multiple of its median in `BEFORE_COLUMNS`. */
const MAX_UNSEALED = 2

/** Target: longest statement of a trend from columns, ms. No other request gets the database meanwhile. */
const MAX_STATEMENT_MS = 60
/** Target: rows that a trend from columns reads. */
const MAX_ROWS_READ = 1_500
/** Milliseconds by which trends may prolong other requests, p95. */
const MAX_LONGER_MS = 60
/**
 * Heap limit in MB: half of an isolate's 128 MB. Without a limit V8 postpones garbage collection, and the measured peak would
 * not show how much memory is needed.
 */
const MAX_HEAP_MB = 64
/** Target: heap and buffers together during a question other than a trend, MB. */
const MAX_NODE_MB = 110

/** Events per person. */
const EVENTS_OF_PERSON = 20

type Plan = Volume & {
  /** Whether to ask before sealing too. */
  isAskedUnsealed?: boolean
  /** Whether this is the largest number of events: times of questions have targets, and memory is measured. */
  isLargest?: boolean
}

type Size = { plans: Plan[]; runs: number; othersMs: number }

/** D1 holds 10 GB: ten million events and their page views fit with short properties only. */
const planOf = (events: number, more: Partial<Plan> = {}): Plan => ({
  ...volumeOf(events, Math.ceil(events / EVENTS_OF_PERSON)),
  ...more
})

const SMOKE: Size = {
  plans: [
    planOf(100),
    planOf(200, { isAskedUnsealed: true }),
    planOf(400, { isShort: true, isLargest: true })
  ],
  runs: 1,
  othersMs: 100
}

/** Measures how questions slow down with more events, and how reading a person and capturing slow down meanwhile. */
export async function benchGrowth(isSmoke: boolean, isFull: boolean): Promise<Outcome> {
  const usual = [planOf(100_000), planOf(1_000_000, { isAskedUnsealed: true })]
  const largest = planOf(10_000_000, { isShort: true, isLargest: true })
  const size: Size = isSmoke
    ? SMOKE
    : { plans: isFull ? [...usual, largest] : usual, runs: 5, othersMs: 20_000 }
  const columns: Column[] = []
  for (const plan of size.plans) {
    columns.push(...(await inTemporaryAsync((folder) => measure(plan, size, folder))))
  }
  return report(columns, size)
}

type Medians = Record<QuestionName, number>

/** The cost of questions: medians in ms, the longest statement in ms, and the most rows that each question read. */
type Asked = { medians: Medians; longestMs: number; rowsRead: Record<QuestionName, number> }

type Times = { idle: number; meanwhile: number }

/** A column of the table. Other requests and memory (MB) are measured only after sealing. */
type Column = Plan & {
  isSealed: boolean
  asked: Asked
  others?: { person: Times; capture: Times }
  heap?: { trends: number; nodes: number }
}

async function measure(plan: Plan, { runs, othersMs }: Size, folder: string): Promise<Column[]> {
  const columns: Column[] = []
  const runtime = await startWorkers({ folder })
  let target: Target
  try {
    target = await seed(runtime, plan)
    const ask = questionsTo(runtime.service, target.projectId, target.key)
    if (plan.isAskedUnsealed) {
      columns.push({ ...plan, isSealed: false, asked: await askAll(runtime, ask, runs) })
    }
    await seal(runtime)
    const asked = await askAll(runtime, ask, runs)
    const idle = await loadOthersFor(othersMs, runtime, target)
    const meanwhile = await loadOthersAsking(ask, runtime, target, othersMs)
    const others = {
      person: { idle: idle.person, meanwhile: meanwhile.person },
      capture: { idle: idle.capture, meanwhile: meanwhile.capture }
    }
    columns.push({ ...plan, isSealed: true, asked, others })
  } finally {
    await runtime.end()
  }
  if (!plan.isLargest) {
    return columns
  }
  const heap = {
    trends: await measureHeap(target, folder, TREND_NAMES),
    nodes: await measureHeap(target, folder, NODE_NAMES)
  }
  return columns.map((column) => (column.isSealed ? { ...column, heap } : column))
}

async function seed(runtime: Runtime, plan: Plan): Promise<Target> {
  const { projectId, key, token } = await seedProject(runtime, 0, ['insight:read', 'person:read'])
  await storePersons(runtime.db, projectId, plan.persons)
  await storeEvents(runtime, projectId, plan)
  return { projectId, key, token, persons: plan.persons }
}

/** Asks each question about the 40 % event `runs` times, after asking it once for warm-up. */
async function askAll(runtime: Runtime, ask: Ask, runs: number): Promise<Asked> {
  const { lines } = runtime
  const medians: [QuestionName, number][] = []
  const rowsRead: [QuestionName, number][] = []
  let longestMs = 0
  for (const question of QUESTIONS) {
    await ask(kindOf(0), question)
    await untilLogged(runtime)
    lines.length = 0
    const times = []
    for (let run = 0; run < runs; run += 1) {
      times.push((await ask(kindOf(0), question)).ms)
    }
    await untilLogged(runtime)
    medians.push([question, percentile(times, 0.5)])
    rowsRead.push([question, Math.max(...lines.map(({ rows_read }) => rows_read))])
    longestMs = Math.max(longestMs, ...lines.map(({ longest_ms }) => longest_ms))
  }
  return { medians: recordOf(medians), longestMs, rowsRead: recordOf(rowsRead) }
}

/** Returns the entries as a record: there is one for every question. */
const recordOf = (entries: [QuestionName, number][]) =>
  Object.fromEntries(entries) as Record<QuestionName, number>

/** Asks one question after the other, and measures other requests meanwhile. */
async function loadOthersAsking(ask: Ask, runtime: Runtime, target: Target, ms: number) {
  const end = performance.now() + ms
  const isOver = () => performance.now() >= end
  const asking = async () => {
    for (let i = 0; !isOver(); i += 1) {
      await ask(kindOf(0), QUESTIONS[i % QUESTIONS.length] ?? 'total')
    }
  }
  const [times] = await Promise.all([loadOthers(runtime, target, isOver), asking()])
  return times
}

/** Returns the peak of the service's memory in MB while each question is asked twice. */
async function measureHeap(
  { projectId, key }: Target,
  folder: string,
  questions: readonly QuestionName[]
): Promise<number> {
  const runtime = await startWorkers({ folder, maxHeap: MAX_HEAP_MB })
  try {
    const ask = questionsTo(runtime.service, projectId, key)
    const heap = await watchHeap(await runtime.inspector(), 'service')
    const { peak } = await heap.during(async () => {
      for (const question of [...questions, ...questions]) {
        await ask(kindOf(0), question)
      }
    })
    heap.end()
    return peak / 1_000_000
  } finally {
    await runtime.end()
  }
}

/** A measured value, and the most that it may be. */
type Cell = { value: number; most?: number | undefined }
type Line = { name: string; cellOf: (column: Column) => Cell | undefined }

const LINES: Line[] = [
  ...QUESTIONS.map((question) => ({
    name: question,
    cellOf: (column: Column) => ({
      value: column.asked.medians[question],
      most: mostOf(question, column)
    })
  })),
  {
    name: 'longest statement of a question',
    cellOf: ({ asked, isSealed }) => ({
      value: asked.longestMs,
      most: isSealed ? MAX_STATEMENT_MS : undefined
    })
  },
  ...linesOfOthers('person', 'retrieving a person'),
  ...linesOfOthers('capture', 'capturing 100 events'),
  {
    name: 'rows read by a trend, maximum',
    cellOf: ({ asked, isSealed }) => ({
      value: asked.rowsRead[mostReading(asked)],
      most: isSealed ? MAX_ROWS_READ : undefined
    })
  },
  {
    name: 'memory of trends, MB',
    cellOf: ({ heap }) => heap && { value: heap.trends, most: MAX_HEAP_MB }
  },
  {
    name: 'memory of other questions, MB',
    cellOf: ({ heap }) => heap && { value: heap.nodes, most: MAX_NODE_MB }
  }
]

const isTrend = (question: QuestionName): question is TrendName => question in BEFORE_COLUMNS

function mostOf(question: QuestionName, { isSealed, isLargest }: Column): number | undefined {
  if (!isSealed) {
    return isTrend(question) ? MAX_UNSEALED * BEFORE_COLUMNS[question] : undefined
  }
  return isLargest ? MAX_MS[question] : undefined
}

function linesOfOthers(request: 'person' | 'capture', name: string): Line[] {
  return [
    {
      name: `${name} on an idle service, p95`,
      cellOf: ({ others }) => others && { value: others[request].idle }
    },
    {
      name: `${name} meanwhile, p95`,
      cellOf: ({ others }) =>
        others && {
          value: others[request].meanwhile,
          most: others[request].idle + MAX_LONGER_MS
        }
    }
  ]
}

/** Returns the trend that reads the most rows. Lifecycles also read persons, and overviews sessions. */
const mostReading = ({ rowsRead }: Asked): TrendName =>
  TREND_NAMES.reduce((most, question) => (rowsRead[question] > rowsRead[most] ? question : most))

const nameOf = ({ events, isSealed }: Column): string =>
  `${events.toLocaleString('en')} events${isSealed ? '' : ', unsealed'}`

function show(cell: Cell | undefined): string {
  if (!cell) {
    return ''
  }
  const { value, most } = cell
  return most === undefined ? rounded(value) : `${rounded(value)} (at most ${rounded(most)})`
}

function report(columns: Column[], { runs }: Size): Outcome {
  const lines = LINES.map(({ name, cellOf }) => ({
    name,
    cells: columns.map((column) => ({ column, cell: cellOf(column) }))
  }))
  const short = columns.filter(({ isShort }) => isShort).map(nameOf)
  return {
    table: [
      ['ms, median where nothing else is said', ...columns.map(nameOf)],
      ...lines.map(({ name, cells }) => [name, ...cells.map(({ cell }) => show(cell))])
    ],
    notes: [
      `The 40 % event, over 90 days, median of ${runs} runs after a warm-up; then the same questions back to back, with`,
      `${OTHERS}. All events were sealed first, except in the column of unsealed events.`,
      `A trend of unsealed events may take ${MAX_UNSEALED}× as long as before there were columns.`,
      `Most rows were read by: ${columns.map((column) => `${mostReading(column.asked)} (${nameOf(column)})`).join(', ')}.`,
      ...(short.length > 0
        ? [`Events have 120 bytes of properties instead of 600: ${short.join(', ')}.`]
        : ['`--full` adds 10,000,000 events.'])
    ],
    missed: lines.flatMap(({ name, cells }) =>
      cells.flatMap(({ column, cell }) =>
        cell?.most !== undefined && cell.value > cell.most
          ? [`${name}, ${nameOf(column)}: ${show(cell)}`]
          : []
      )
    )
  }
}
