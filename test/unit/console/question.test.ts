import { describe, expect, it } from 'vitest'
import type { DrawnAnswer, QuestionNode } from '../../../console/chart/answer.ts'
import { placeOfFault } from '../../../console/explore/fault.ts'
import {
  asKind,
  ask,
  copyText,
  filtersOf,
  type Insight,
  isComplete,
  KINDS,
  questionOf,
  seriesOf,
  splitDates,
  withFormula
} from '../../../console/explore/question.ts'
import { sentenceOf, type Words } from '../../../console/explore/sentence.ts'

const TODAY = { day: '2026-11-27', weekStart: 1 } as const

const TREND: QuestionNode = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'signed up', math: 'dau' }],
  properties: [{ type: 'event', key: 'plan', operator: 'exact', value: ['free'] }],
  breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' }
}

describe('another kind of question', () => {
  it.each(KINDS)('%s keeps the events and the filters', (kind) => {
    const asked = asKind(TREND, kind)

    expect(asked).toMatchObject({ kind, properties: TREND.properties })
    expect(seriesOf(asked)[0]).toMatchObject({ event: 'signed up' })
    expect(isComplete(asked)).toBe(kind !== 'FunnelsQuery')
  })

  it('asks for the second step of a funnel, and takes the math from its steps', () => {
    expect(asKind(TREND, 'FunnelsQuery').series).toEqual([
      { kind: 'EventsNode', event: 'signed up' },
      { kind: 'EventsNode', event: '' }
    ])
  })
})

describe('a saved question', () => {
  const period = { from: '-29d', to: undefined, compareTo: '-5w' }

  it.each([TREND, asKind(TREND, 'RetentionQuery'), asKind(TREND, 'StickinessQuery')])(
    'is the same when it is asked again: $kind',
    (question) => {
      const query = ask(question, period, TODAY)
      const { question: split, dates } = splitDates(query, TODAY)
      const again = { ...period, compareTo: dates.compare_to === 'none' ? undefined : '-5w' }

      expect(ask(split, again, TODAY)).toEqual(query)
    }
  )

  it('has columns of retention for the whole period', () => {
    const question = asKind(TREND, 'RetentionQuery')

    expect(ask(question, period, TODAY).retentionFilter?.totalIntervals).toBe(5)
  })

  it('may be a filter object of older interfaces', () => {
    const insight = (filters: object) => ({ query: null, filters }) as unknown as Insight

    expect(
      questionOf(
        insight({
          events: [
            { id: 'b', order: 1 },
            { id: '$pageview', math: 'dau', order: 0 }
          ],
          date_from: '-30d',
          breakdown: '$browser',
          display: 'ActionsBar'
        })
      )
    ).toEqual({
      kind: 'TrendsQuery',
      series: [
        { kind: 'EventsNode', event: '$pageview', math: 'dau' },
        { kind: 'EventsNode', event: 'b' }
      ],
      dateRange: { date_from: '-30d' },
      trendsFilter: { display: 'ActionsBar' },
      breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' }
    })
    expect(questionOf(insight({ events: [{ id: 'a' }], smoothing_intervals: 7 }))).toBeUndefined()
  })
})

it('filters joined by "and" are a list; those joined by "or" are not', () => {
  const plan = { type: 'event', key: 'plan', operator: 'exact', value: 'free' }
  const group = (type: string, ...values: object[]) => ({ type, values })

  expect(filtersOf(undefined)).toEqual([])
  expect(filtersOf([plan])).toEqual([plan])
  expect(filtersOf(group('AND', group('AND', plan)))).toEqual([plan])
  expect(filtersOf(group('OR', group('AND', plan)))).toEqual([plan])
  expect(filtersOf(group('OR', plan, plan))).toBeUndefined()
})

it.each([
  ['query__series__1__math_property', 'series 1'],
  ['query__retentionFilter__returningEntity__id', 'series 1'],
  ['query__trendsFilter__formula', 'formula'],
  ['query__breakdownFilter__breakdown_limit', 'breakdown'],
  ['query__properties__0__value', 'filters'],
  ['query__funnelsFilter__funnelWindowInterval', 'options'],
  ['query__dateRange__date_from', undefined]
])('a fault of %s is shown at %s', (attr, place) => {
  expect(placeOfFault(attr)).toBe(place)
})

it('a copied request is one argument of a shell, whatever it contains', () => {
  const question = withFormula(TREND, "A'; rm -rf / #")
  const curl = copyText('curl', question, 'https://a.example/api/projects/1/query/')

  const data = curl.slice(curl.indexOf("-d '") + 4, -1).replaceAll(`'\\''`, "'")
  expect(JSON.parse(data)).toEqual({ query: question })
  expect(JSON.parse(copyText('json', question, ''))).toEqual(question)
})

const textOf = (words: Words) =>
  words.map((part) => (typeof part === 'string' ? part : part.strong)).join('')

const CHART: DrawnAnswer = {
  title: '',
  subtitle: '',
  counted: '',
  kind: 'line',
  buckets: ['a', 'b', 'c'],
  days: ['2026-11-25', '2026-11-26', '2026-11-27'],
  interval: 'day',
  earlier: [],
  keys: [],
  finished: 2,
  total: null,
  warning: null,
  series: [{ name: 'signed up', data: [4, 6, 1], previous: [5, 3, 9] }]
}

describe('the sentence above a chart', () => {
  const one = (math: string): QuestionNode => ({
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'signed up', math }]
  })

  it('adds up what can be added up, in the buckets that are over', () => {
    expect(textOf(sentenceOf(one('total'), CHART))).toBe(
      '10 events of signed up, without today, +25.0% from 8 before.'
    )
  })

  it('never adds up persons', () => {
    expect(textOf(sentenceOf(one('dau'), CHART))).toBe(
      '5 unique persons of signed up by day on average, +25.0% from 4 before.'
    )
  })

  it('says where most leave', () => {
    const chart: DrawnAnswer = {
      ...CHART,
      kind: 'funnel',
      buckets: ['Visit', 'Sign-up', 'Team'],
      series: [{ name: 'Persons', data: [100, 25, 10] }]
    }

    expect(textOf(sentenceOf({ kind: 'FunnelsQuery' }, chart))).toBe(
      '10.0% of those with Visit got to Team. Most leave before Sign-up: 75 of 100.'
    )
  })

  it('says nothing of nothing', () => {
    const series = [{ name: 'a', data: [0, 0, 0] }]

    expect(sentenceOf(one('total'), { ...CHART, series })).toEqual([])
  })
})
