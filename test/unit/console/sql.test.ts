import fc from 'fast-check'
import { expect, it } from 'vitest'
import { columnsOf, rankedColumn, rowsInView, textOfCell } from '../../../console/sql/cells.ts'
import { complete, type KnownNames, writeName, writeText } from '../../../console/sql/completion.ts'
import { linesOf, piecesOf } from '../../../console/sql/pieces.ts'
import { faultIn, type SqlAnswer } from '../../../console/sql/statement.ts'
import {
  displayOf,
  firstDisplay,
  fitting,
  hasAxis,
  kindOfView,
  statementIn,
  toNode,
  viewIn,
  withNumbers
} from '../../../console/sql/view.ts'
import { VOCABULARY } from '../../../src/sql/describe.ts'
import { parseStatement } from '../../../src/sql/parse.ts'
import '../../support/random.ts'

const NAMES: KnownNames = {
  vocabulary: VOCABULARY,
  events: ['signed up', "it's\\odd", '$pageview'],
  properties: {
    event: [
      { name: '$pathname', type: 'text' },
      { name: 'plan', type: 'text' },
      { name: 'seats per room', type: 'number' }
    ],
    person: [{ name: 'email', type: 'text' }],
    session: [{ name: '$session_duration', type: 'number' }]
  }
}

/** Completes a statement at its mark `|`. */
const at = (marked: string, isAsked = false) => {
  const caret = marked.indexOf('|')
  return complete(marked.replace('|', ''), caret, NAMES, { isAsked })
}
const labels = (marked: string, isAsked = false) =>
  at(marked, isAsked).suggestions.map(({ label }) => label)

/** Writes the first suggestion into the statement. */
function accept(marked: string): string {
  const { from, until, suggestions } = at(marked)
  const statement = marked.replace('|', '')
  return statement.slice(0, from) + (suggestions[0]?.insert ?? '') + statement.slice(until)
}

it('divides a statement into what an editor colours', () => {
  const statement = "select count(x) -- all\nfrom events where a.left = 'it''s' and n > 1.5"

  const pieces = piecesOf(statement, VOCABULARY).filter(({ kind }) => kind !== 'space')

  expect(pieces.map(({ kind, text }) => [kind, text])).toEqual([
    ['keyword', 'select'],
    ['function', 'count'],
    ['symbol', '('],
    ['name', 'x'],
    ['symbol', ')'],
    ['comment', '-- all'],
    ['keyword', 'from'],
    ['name', 'events'],
    ['keyword', 'where'],
    ['name', 'a'],
    ['symbol', '.'],
    ['name', 'left'],
    ['symbol', '='],
    ['text', "'it''s'"],
    ['keyword', 'and'],
    ['name', 'n'],
    ['symbol', '>'],
    ['number', '1.5']
  ])
})

const QUOTES = ["'", '`', '"', '/*', '*/', '--', '\n', '\\', '\\q', '€', '😀', '01', '1a', '.']
const WORDS = ['select', 'x', '(', ')', ' ', 'left', 'interval 3 days', '#', '@', '{a}', '|| ']

it('divides any text, and loses none of it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...QUOTES, ...WORDS), { maxLength: 12 }), (parts) => {
      const text = parts.join('')

      const pieces = piecesOf(text, VOCABULARY)

      expect(pieces.map((piece) => piece.text).join('')).toBe(text)
      expect(pieces.filter((piece) => !text.startsWith(piece.text, piece.at))).toEqual([])
    })
  )
})

it('divides thousands of letters that no statement has', () => {
  const pieces = piecesOf('ä'.repeat(20_000), VOCABULARY)

  expect(pieces).toHaveLength(20_000)
  expect(pieces.at(-1)).toEqual({ kind: 'symbol', text: 'ä', at: 19_999 })
})

it('divides what goes over several lines', () => {
  const pieces = piecesOf("x /* a\nb */\n\n'c\nd'", VOCABULARY)

  expect(linesOf(pieces).map((line) => line.map(({ kind, text, at }) => [kind, text, at]))).toEqual(
    [
      [
        ['name', 'x', 0],
        ['space', ' ', 1],
        ['comment', '/* a', 2]
      ],
      [['comment', 'b */', 7]],
      [],
      [['text', "'c", 13]],
      [['text', "d'", 16]]
    ]
  )
})

it('marks a text without an end', () => {
  expect(piecesOf("where event = 'sig", VOCABULARY).at(-1)).toEqual({
    kind: 'text',
    text: "'sig",
    at: 14,
    isOpen: true
  })
})

it('offers columns, functions and keywords by their beginning', () => {
  expect(labels('sel|')).toEqual(['select', 'select distinct'])
  expect(labels('SEL|')).toEqual(['SELECT', 'SELECT DISTINCT'])
  expect(labels('SELECT time|').slice(0, 1)).toEqual(['timestamp'])
  expect(labels('SELECT countI|')).toEqual(['countIf()'])
  expect(labels('SELECT event FROM ev|')).toContain('events')
  expect(labels('SELECT count() AS n FROM events ORDER BY number_of|')).toEqual([])
  expect(labels('SELECT 1 AS total FROM events ORDER BY tota|')).toEqual(['total'])
  expect(labels('SELECT now() - INTERVAL 3 d|')).toEqual(['day'])
})

it('offers nothing for what is complete, after AS, and in comments and numbers', () => {
  for (const statement of ['SELECT event|', 'SELECT 1 AS ev|', 'SELECT 1 -- ev|', 'LIMIT 1|']) {
    expect(labels(statement)).toEqual([])
  }
  expect(labels('SELECT |')).toEqual([])
  expect(labels('SELECT |', true)).toContain('event')
})

it('offers the members of a path', () => {
  expect(labels('SELECT properties.|')).toEqual(['$pathname', 'plan', 'seats per room'])
  expect(labels('SELECT properties.path|')).toEqual(['$pathname'])
  expect(labels('SELECT person.properties.em|')).toEqual(['email'])
  expect(labels('SELECT person.|')).toContain('id')
  expect(labels('SELECT person.|')).toContain('properties')
  expect(labels('SELECT session.|')).toEqual(['$session_duration'])
  expect(labels('SELECT e.time| FROM events AS e')).toEqual(['timestamp'])
  expect(labels('SELECT e.properties.pl| FROM events e')).toEqual(['plan'])
  expect(labels('SELECT properties.| FROM persons')).toEqual(['email'])
  expect(labels('SELECT pathn|')).toEqual(['properties.$pathname'])
})

it('writes names in quotes where they need them', () => {
  expect(accept('SELECT properties.seats|')).toBe('SELECT properties.`seats per room`')
  expect(accept("SELECT properties['pl|")).toBe("SELECT properties['plan']")
  expect(accept("SELECT properties['pl|']")).toBe("SELECT properties['plan']")
  expect(accept('SELECT low|(event)')).toBe('SELECT lower(event)')
  expect(writeName('a`b\\c')).toBe('`a``b\\\\c`')
})

it('offers events where a text is compared with them', () => {
  expect(accept("SELECT 1 FROM events WHERE event = 'sig|")).toBe(
    "SELECT 1 FROM events WHERE event = 'signed up'"
  )
  expect(accept("SELECT 1 FROM events WHERE event IN ('a', 'odd|') LIMIT 1")).toBe(
    `SELECT 1 FROM events WHERE event IN ('a', ${writeText("it's\\odd")}) LIMIT 1`
  )
  expect(accept('SELECT 1 FROM events WHERE event = page|')).toBe(
    "SELECT 1 FROM events WHERE event = '$pageview'"
  )
  expect(labels("SELECT 1 FROM events WHERE distinct_id = 'sig|")).toEqual([])
})

it('says whose names it would offer', () => {
  expect(at('SELECT person.properties.|').wanted).toEqual(['person'])
  expect(at("SELECT 1 FROM events WHERE event = '|").wanted).toEqual(['events'])
})

it('offers what the service understands', () => {
  for (const { name, columns, owners } of VOCABULARY.tables) {
    for (const column of [
      ...columns.map((one) => one.name),
      ...owners.map(({ path }) => `${path}.a`)
    ]) {
      expect(() => parseStatement(`SELECT ${column} FROM ${name}`)).not.toThrow()
    }
  }
  expect(VOCABULARY.tables.map(({ name }) => name)).toEqual(['events', 'persons', 'sessions'])
  expect(VOCABULARY.tables[0]?.columns).toContainEqual({ name: 'timestamp', type: 'time' })
})

it('finds the place of a fault', () => {
  const statement = 'SELECT evnt\nFROM events\nWHERE x'

  expect(faultIn(statement, '3:7: Unable to resolve field: x.')).toEqual({
    words: 'Unable to resolve field: x.',
    at: statement.indexOf('x'),
    place: 'Line 3, column 7'
  })
  expect(faultIn(statement, 'The query reads too much: it has 2 parts.').at).toBeUndefined()
})

/** An answer with these columns: their types by their names. */
const answerOf = (types: Record<string, string>, results: unknown[][]): SqlAnswer => ({
  results,
  columns: Object.keys(types),
  types: Object.entries(types),
  hasMore: false,
  limit: 100,
  offset: 0,
  warnings: []
})

/** Writes the cells of an answer. */
const written = (answer: SqlAnswer): string[][] => {
  const columns = columnsOf(answer)
  return answer.results.map((row) =>
    row.map((value, i) => textOfCell(value, columns[i] as (typeof columns)[number]))
  )
}

it('writes the numbers of a column with equal decimals', () => {
  const types = { n: 'UInt64', mean: 'Nullable(Float64)', share: 'Float64', year: 'UInt16' }

  expect(
    written(
      answerOf(types, [
        [1234567, 11.416, 0.00234, 2026],
        [-1, 2, 0.5, 2025],
        [0, null, 0, 2024]
      ])
    )
  ).toEqual([
    ['1,234,567', '11.42', '0.002', '2026'],
    ['−1', '2.00', '0.500', '2025'],
    ['0', 'null', '0.000', '2024']
  ])
})

it("writes times by the project's clock, and lists as JSON", () => {
  const types = { at: "DateTime64(6, 'Europe/Berlin')", day: 'Date', list: 'Array(String)' }
  const rows = [
    ['2026-03-04T12:59:00+01:00', '2026-03-04', ['a']],
    ['2026-03-04T12:59:00.000000+01:00', '2026-03-04', []],
    ['2026-03-04T12:59:00.250000Z', '2026-03-05', null]
  ]

  expect(written(answerOf(types, rows))).toEqual([
    ['2026-03-04 12:59:00', '2026-03-04', '["a"]'],
    ['2026-03-04 12:59:00', '2026-03-04', '[]'],
    ['2026-03-04 12:59:00.250', '2026-03-05', 'null']
  ])
})

it('draws the amounts of a short list beside it', () => {
  const types = { plan: 'Nullable(String)', n: 'UInt64', mean: 'Float64' }
  const ranked = (results: unknown[][], of = types) =>
    rankedColumn(columnsOf(answerOf(of, results)), results)

  expect(
    ranked([
      ['pro', 3, 1.5],
      [null, 1, 2]
    ])
  ).toBe(1)
  expect(ranked([['pro', 3, 1.5]])).toBeUndefined()
  expect(
    ranked([
      ['pro', -3, 1.5],
      ['free', 1, 2]
    ])
  ).toBeUndefined()
})

it('keeps the rows in view, whatever the number of rows', () => {
  const box = { height: 600, rowHeight: 36 }

  expect(rowsInView({ ...box, top: 0 }, 50_000)).toEqual({ from: 0, until: 37 })
  expect(rowsInView({ ...box, top: 36_000 }, 50_000)).toEqual({ from: 990, until: 1_027 })
  expect(rowsInView({ ...box, top: 50_000 * 36 }, 50_000)).toEqual({ from: 49_963, until: 50_000 })
  expect(rowsInView({ ...box, top: 0 }, 3)).toEqual({ from: 0, until: 3 })
})

it('chooses the chart that suits an answer', () => {
  expect(firstDisplay(answerOf({ day: 'Date', n: 'UInt64' }, [['2026-03-04', 1]]))).toBe(
    'ActionsLineGraph'
  )
  expect(firstDisplay(answerOf({ n: 'UInt64' }, [[1]]))).toBe('BoldNumber')
  expect(firstDisplay(answerOf({ plan: 'String', n: 'UInt64' }, [['a', 1]]))).toBe(
    'ActionsBarValue'
  )
})

it('draws every display that dashboards draw', () => {
  expect(kindOfView({ display: 'ActionsDonut' })).toBe('pie')
  expect(displayOf({ display: 'ActionsDonut' })).toBe('ActionsPie')
  expect(kindOfView({ display: 'ActionsUnstackedBar' })).toBe('bars')
  expect(displayOf({ display: 'ActionsUnstackedBar' })).toBe('ActionsBar')
  expect(hasAxis({ display: 'ActionsUnstackedBar' })).toBe(true)
  for (const display of ['ActionsTable', 'Auto', 'toString', undefined]) {
    expect(kindOfView({ ...(display && { display }) })).toBeUndefined()
  }
})

it('has no column of names for the series of all numbers', () => {
  const xAxis = { column: 'day' }
  const one = { xAxis, yAxis: [{ column: 'n' }], seriesBreakdownColumn: 'plan' }

  expect(withNumbers({ display: 'ActionsBar', chartSettings: one }, '')).toEqual({
    display: 'ActionsBar',
    chartSettings: { xAxis }
  })
  expect(withNumbers({ display: 'ActionsBar', chartSettings: one }, 'm')).toEqual({
    display: 'ActionsBar',
    chartSettings: { ...one, yAxis: [{ column: 'm' }] }
  })
})

it('stores a statement and how it is drawn, and reads both again', () => {
  const view = { display: 'ActionsBar', chartSettings: { yAxis: [{ column: 'n' }] } }
  const query = { kind: 'HogQLQuery', query: 'SELECT 1 AS n' }

  const beside = { tableSettings: { columns: [{ column: 'n' }] } }

  expect(statementIn(toNode(query, view, beside))).toEqual({
    statement: 'SELECT 1 AS n',
    view,
    beside
  })
  expect(statementIn({ kind: 'DataTableNode', source: query })).toEqual({
    statement: 'SELECT 1 AS n',
    view: {},
    beside: {}
  })
  expect(statementIn({ kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } })).toBeUndefined()
  expect(statementIn(null)).toBeUndefined()
})

it('leaves out of a view what an answer does not have, and what cannot be read', () => {
  const answer = answerOf({ day: 'Date', n: 'UInt64' }, [])
  const chartSettings = {
    xAxis: { column: 'gone' },
    yAxis: [{ column: 'n' }, { column: 'gone' }],
    seriesBreakdownColumn: 'gone'
  }

  expect(fitting({ display: 'ActionsBar', chartSettings }, answer)).toEqual({
    display: 'ActionsBar',
    chartSettings: { yAxis: [{ column: 'n' }] }
  })
  for (const text of [null, '', '[', '7', '{"display":7,"chartSettings":"x"}']) {
    expect(fitting(viewIn(text), answer)).toEqual({})
  }
  const odd = '{"display":"x","chartSettings":{"xAxis":7,"yAxis":{"column":"n"}}}'
  expect(fitting(viewIn(odd), answer)).toEqual({ display: 'x' })
})
