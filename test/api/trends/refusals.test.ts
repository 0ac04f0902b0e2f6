import { describe, expect, it } from 'vitest'
import { newProject } from '../../support/project.ts'
import { randomText } from '../../support/text.ts'
import { ask, asNode, asTrend, at, RANGE } from '../../support/trends.ts'

describe('an invalid trend', () => {
  it.each([
    [
      asTrend({ math: 'median_ish' }),
      'invalid_input',
      'events__0__math',
      '"median_ish" is not a supported math. Supported: total, dau,'
    ],
    [asTrend({ math: 'hogql' }), 'invalid_input', 'events__0__math', '"hogql"'],
    [asTrend({ math: 'sum' }), 'required', 'events__0__math_property', 'required'],
    [
      asTrend({ properties: [{ key: 'a', value: 1, operator: 'like' }] }),
      'invalid_input',
      'events__0__properties',
      '"like"'
    ],
    [
      asTrend({ properties: [{ key: 'id', value: 1, type: 'group' }] }),
      'invalid_input',
      'events__0__properties',
      '"group"'
    ],
    [{ ...asTrend({}), interval: 'quarter' }, 'invalid_choice', 'interval', '"quarter"'],
    [{ ...asTrend({}), date_from: 'soon' }, 'invalid_input', 'date_from', '"soon"'],
    [{ ...asTrend({}), date_to: '2025-02-30' }, 'invalid_input', 'date_to', '"2025-02-30"'],
    [
      { ...asTrend({}), date_from: '2025-06-04' },
      'invalid_input',
      'date_from',
      'earlier than the end'
    ],
    [{ ...asTrend({}), display: 'Metric' }, 'invalid_input', 'display', '"Metric"'],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_type: 'cohort' },
      'invalid_input',
      'breakdown_type',
      '"cohort"'
    ],
    [
      { ...asTrend({}), breakdown: ['$browser'] },
      'invalid_input',
      'breakdown',
      'A breakdown is the name of one property, as text. For several properties, send `breakdowns`.'
    ],
    [
      asNode({ breakdownFilter: { breakdown: ['$browser'] } }),
      'invalid_input',
      'query__breakdownFilter__breakdown',
      'send `breakdowns`'
    ],
    [{ ...asTrend({}), breakdown: 'a'.repeat(401) }, 'max_length', 'breakdown', '400'],
    ...['constructor', 'toString'].map((name): [object, string, string, string] => [
      { query: { kind: 'InsightVizNode', [name]: { a: 1 } } },
      'invalid_input',
      `query__${name}`,
      `"${name}" is not a field of an InsightVizNode`
    ]),
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: 0 },
      'min_value',
      'breakdown_limit',
      'greater'
    ],
    [{ events: [{}] }, 'required', 'events__0__id', 'required'],
    [
      { events: [{ id: 'a' }, { event: '$pageview' }] },
      'invalid_input',
      'events__1__event',
      'send the name of the event as `id`'
    ],
    [{ events: [{ id: '' }] }, 'blank', 'events__0__id', 'blank'],
    [{ filters: { events: [{ name: 'a' }] } }, 'required', 'filters__events__0__id', 'required'],
    [
      asNode({ series: [{ kind: 'EventsNode' }] }),
      'required',
      'query__series__0__event',
      'required'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: true },
      'invalid_input',
      'breakdown_limit',
      'number'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: 1.5 },
      'invalid_input',
      'breakdown_limit',
      'int'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: 1001 },
      'query_too_large',
      'breakdown_values',
      '1000'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_histogram_bin_count: 1001 },
      'query_too_large',
      'breakdown_values',
      '1000 bins'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_histogram_bin_count: 0 },
      'min_value',
      'breakdown_histogram_bin_count',
      'greater'
    ],
    [
      asTrend({ properties: [{ key: '$browser', value: 1, type: 'session' }] }),
      'invalid_input',
      'events__0__properties',
      '"$browser" is not a property of sessions'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_type: 'session' },
      'invalid_input',
      'breakdown',
      '"a"'
    ],
    [
      { ...asTrend({}), breakdowns: [{ property: 'a', type: 'session' }] },
      'invalid_input',
      'breakdowns__0__property',
      '"a"'
    ],
    [
      { ...asTrend({}), breakdowns: [{ property: 'a' }], breakdown_histogram_bin_count: 2 },
      'invalid_input',
      'breakdown_histogram_bin_count',
      'its own'
    ],
    [
      { ...asTrend({}), breakdowns: [{ property: 'a' }], breakdown_type: 'person' },
      'invalid_input',
      'breakdown_type',
      'its own'
    ],
    [
      asTrend({ math: 'sum', math_property: 'price', math_property_type: 'session_properties' }),
      'invalid_input',
      'events__0__math_property',
      '"price"'
    ],
    [
      asTrend({ math_property: 'price' }),
      'invalid_input',
      'events__0__math_property',
      'The math `total` reads no property. Leave `math_property` out, or send a math such as `sum`.'
    ],
    [
      asNode({
        series: [
          { kind: 'EventsNode', event: 'a', math: 'avg_count_per_actor', math_property: 'price' }
        ]
      }),
      'invalid_input',
      'query__series__0__math_property',
      '`avg_count_per_actor` reads no property'
    ],
    [
      { ...asTrend({}), breakdown_type: 'person' },
      'invalid_input',
      'breakdown_type',
      '`breakdown_type` needs a `breakdown`: the name of a property.'
    ],
    [
      asNode({ breakdownFilter: { breakdown: null, breakdown_type: 'session' } }),
      'invalid_input',
      'query__breakdownFilter__breakdown_type',
      'needs a `breakdown`'
    ],
    [
      { ...asTrend({}), breakdown_histogram_bin_count: 5 },
      'invalid_input',
      'breakdown_histogram_bin_count',
      'needs a `breakdown`'
    ],
    [{ ...asTrend({}), formula: 'A +' }, 'invalid_input', 'formula', 'ends too early'],
    [asNode({ dateRang: RANGE }), 'invalid_input', 'query__dateRang', 'did you mean "dateRange"?'],
    [asNode({ dateRange: { from: '-1d' } }), 'invalid_input', 'query__dateRange__from', 'unknown'],
    [
      asNode({ dateRange: { ...RANGE, explicitDate: true } }),
      'invalid_input',
      'query__dateRange__explicitDate',
      'not supported'
    ],
    [
      asNode({ trendsFilter: { smoothing_intervals: 2 } }),
      'invalid_input',
      'query__trendsFilter__smoothing_intervals',
      'did you mean "smoothingIntervals"?'
    ],
    [
      asNode({ modifiers: { convertToProjectTimezone: false } }),
      'invalid_input',
      'query__modifiers',
      'not supported'
    ],
    [
      asNode({ series: [{ kind: 'EventsNode', event: 'a', math_multiplier: 2 }] }),
      'invalid_input',
      'query__series__0__math_multiplier',
      'not supported'
    ],
    [{ ...asTrend({}), explicit_date: true }, 'invalid_input', 'explicit_date', 'not supported'],
    [
      asNode({ trendsFilter: { formulas: ['A', 'A +'] } }),
      'invalid_input',
      'query__trendsFilter__formulas__1',
      'ends too early'
    ],
    [
      asNode({ trendsFilter: { formulaNodes: [{ formula: 'B' }] } }),
      'invalid_input',
      'query__trendsFilter__formulaNodes__0__formula',
      'no series B'
    ],
    [
      asNode({ trendsFilter: { formulas: new Array(27).fill('A') } }),
      'query_too_large',
      'formulas',
      '26'
    ],
    [
      asNode({
        trendsFilter: { formulas: new Array(26).fill('A') },
        interval: 'minute',
        dateRange: { date_from: '2025-06-01', date_to: '2025-06-06' }
      }),
      'query_too_large',
      'points',
      '200000'
    ],
    [{ ...asTrend({}), smoothing_intervals: 1001 }, 'max_value', 'smoothing_intervals', 'less'],
    [{ ...asTrend({}), smoothing_intervals: 0 }, 'min_value', 'smoothing_intervals', 'greater'],
    [{ ...asTrend({}), sampling_factor: 0.1 }, 'invalid_input', 'sampling_factor', '0.1'],
    [
      { ...asTrend({}), aggregation_group_type_index: 1 },
      'invalid_input',
      'aggregation_group_type_index',
      '1'
    ],
    [{ ...asTrend({}), insight: 'STICKINESS' }, 'invalid_input', 'insight', '"STICKINESS"'],
    [asTrend({ type: 'actions' }), 'invalid_input', 'events__0__type', '"actions"'],
    [
      asTrend({ properties: [{ key: 'n', operator: 'gt', value: [] }] }),
      'invalid_input',
      'events__0__properties',
      'gt needs a value'
    ],
    [
      asTrend({ properties: [{ key: 'n', value: 'x', negation: true }] }),
      'invalid_input',
      'events__0__properties',
      'negation'
    ],
    [{ ...asTrend({}), breakdown: '\u0000' }, 'invalid_input', 'breakdown', 'null characters'],
    [
      asTrend({ math: 'sum', math_property: '\u0000' }),
      'invalid_input',
      'events__0__math_property',
      'null characters'
    ],
    [{ ...asTrend({}), actions: [{ id: 1 }] }, 'invalid_input', 'actions', 'Actions'],
    [{ ...asTrend({}), compare: true, date_from: 'all' }, 'invalid_input', 'compare', 'no period'],
    [
      { ...asTrend({}), compare: true, compare_to: 'week' },
      'invalid_input',
      'compare_to',
      '"week"'
    ],
    [
      { ...asTrend({}), interval: 'minute', date_from: '2025-05-01' },
      'query_too_large',
      'buckets',
      '10,000'
    ],
    [{ events: new Array(27).fill({ id: 'a' }) }, 'query_too_large', 'series', '26'],
    [
      {
        ...asTrend({}),
        interval: 'hour',
        date_from: '2025-04-01',
        breakdown: 'a',
        breakdown_limit: 500
      },
      'query_too_large',
      'points',
      '200000'
    ],
    [{ events: 'a' }, 'invalid_input', 'events', 'list'],
    [{ events: '[' }, 'invalid_input', 'events', 'JSON'],
    [{ name: 1 }, 'invalid_input', 'name', 'string'],
    [{ tags: 'a' }, 'invalid_input', 'tags', 'list'],
    [{ dashboards: ['a'] }, 'invalid_input', 'dashboards__0', 'number'],
    [{ saved: 'yes' }, 'invalid_input', 'saved', 'boolean'],
    [{ query: 7 }, 'invalid_input', 'query', 'object'],
    [{ query: '{' }, 'invalid_input', 'query', 'JSON'],
    [{ query: '{"kind":"TrendsQuery","kind":"FunnelsQuery"}' }, 'invalid_input', 'query', 'twice'],
    [{ query: '{"n":9007199254740993}' }, 'invalid_input', 'query', 'cannot be stored exactly'],
    [{ events: '[{"id":"a","id":"b"}]' }, 'invalid_input', 'events', '`0.id` occurs twice'],
    [{ query: { kind: 'FunnelsQuery' } }, 'invalid_input', 'query__kind', '"FunnelsQuery"'],
    [
      { query: { kind: 'InsightVizNode', source: { kind: 'RetentionQuery' } } },
      'invalid_input',
      'query__source__kind',
      '"RetentionQuery"'
    ],
    [
      { query: { kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id: 1 }] } },
      'invalid_input',
      'query__series__0__kind',
      '"ActionsNode"'
    ],
    [
      { filters: { events: [{ id: 'a' }], date_from: 'x' } },
      'invalid_input',
      'filters__date_from',
      '`date_from` must be an ISO date or a relative date such as `-7d`; got "x".'
    ],
    [
      asNode({
        series: [
          {
            kind: 'EventsNode',
            event: 'a',
            fixedProperties: [{ key: 'a', value: 1, operator: 'like' }]
          }
        ]
      }),
      'invalid_input',
      'query__series__0__fixedProperties',
      '"like"'
    ],
    [
      {
        events: [
          { id: 'a', order: 1 },
          { id: 'b', order: 0, math: 'median_ish' }
        ]
      },
      'invalid_input',
      'events__1__math',
      '"median_ish"'
    ]
  ])('is a 400 that names the field or the limit: %j', async (body, code, attr, detail) => {
    const answer = await ask(await newProject(), body)

    expect([answer.status, answer.body]).toEqual([
      400,
      { type: 'validation_error', code, attr, detail: expect.stringContaining(detail) }
    ])
  })

  it('is a 400 for a regular expression that takes too long on the stored values', async () => {
    const project = await newProject()
    await project.ingest([
      {
        event: 'opened',
        distinct_id: 'ada',
        timestamp: at('02T10:00:00'),
        properties: { url: randomText(10_000) }
      }
    ])
    const filter = { key: 'url', operator: 'not_regex', value: ['^x', 'a[ab]{300}$'] }

    const answer = await ask(project, asTrend({ id: 'opened', properties: [filter] }))

    expect([answer.status, answer.body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'query_too_large',
        attr: 'properties',
        detail: expect.stringContaining('"a[ab]{300}$" takes too many steps')
      }
    ])
  })

  it('is a 400 for too many regular expressions in all series together', async () => {
    const properties = [
      { key: 'url', operator: 'regex', value: Array.from({ length: 60 }, (_, i) => `^${i}`) }
    ]
    const series = { id: 'opened', properties }

    const answer = await ask(await newProject(), { ...asTrend({}), events: [series, series] })

    expect([answer.status, answer.body]).toMatchObject([
      400,
      { code: 'invalid_input', attr: 'events__1__properties' }
    ])
    expect(answer.body.detail).toContain('at most 100 regular expressions')
  })
})
