import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { deep } from '../../support/depth.ts'
import { evaluate, type Filter, type Group } from '../../support/evaluate.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { randomText } from '../../support/text.ts'

const KEYS = ['plan', '$browser', 'weird "key"', 'naïve.key', 'a\\b', '__proto__']
const TEXTS = [
  'pro',
  'Pro',
  'PROFI',
  'Ünïcode',
  'ünïcode',
  'K (kelvin)',
  'İstanbul',
  '',
  ' ',
  '5',
  '05',
  '5.0',
  '-1e3',
  'true',
  'null',
  '[1]'
]
const CONTAINED = ['pro', 'P', 'Ü', 'k', 'i', '5', '', '%', '_', '"', 'i̇']
const DATES = [
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  '2026-01-01T02:00:00+02:00',
  '2026-02-30',
  '2025-12-31T23:59:59.999Z'
]
const VERSIONS = ['1.2.3', '1.2.10', '1.10.0', '2.0.0', 'not a version']
const VALUES: Json[] = [
  null,
  5,
  5.5,
  -1000,
  0,
  1e21,
  true,
  false,
  [],
  ['pro'],
  { pro: 'PRO' },
  ...TEXTS,
  ...DATES,
  ...VERSIONS
]

const properties = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), { maxLength: 4 })
  .map((entries): JsonObject => Object.fromEntries(entries))

const key = fc.constantFrom(...KEYS)
const oneOrMore = (values: Json[]) =>
  fc.oneof(
    fc.constantFrom(...values),
    fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
  )
const withOperator = (operators: string[], value: fc.Arbitrary<Json>): fc.Arbitrary<Filter> =>
  fc.record({ key, operator: fc.constantFrom(...operators), value })

const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ key, value: oneOrMore([...TEXTS, 5, 5.5, 1e21, true, false]) }),
  withOperator(
    ['exact', 'is_not', 'in', 'not_in'],
    oneOrMore([...TEXTS, 5, 5.5, 1e21, true, false])
  ),
  withOperator(
    ['icontains', 'not_icontains', 'icontains_multi', 'not_icontains_multi'],
    oneOrMore(CONTAINED)
  ),
  withOperator(
    ['icontains', 'not_icontains'],
    fc.array(fc.constantFrom(...CONTAINED, 'none'), { minLength: 6, maxLength: 8 })
  ),
  withOperator(
    ['regex', 'not_regex'],
    oneOrMore(['^pro$', '[0-9]+', 'P.*', '^$', 'ü', '(?:true|null)', '\\d\\.\\d'])
  ),
  withOperator(
    ['gt', 'gte', 'lt', 'lte', 'min', 'max'],
    oneOrMore([5, '5', -1000, '5.0', 0, 1e21])
  ),
  withOperator(['between', 'not_between'], fc.constantFrom<Json>([0, 5], ['-1000', 5.5], [5, 5])),
  fc.record({ key, operator: fc.constantFrom('is_set', 'is_not_set') }),
  withOperator(
    ['is_date_exact', 'is_date_before', 'is_date_after'],
    oneOrMore(DATES.filter((date) => date !== '2026-02-30'))
  ),
  withOperator(
    ['semver_eq', 'semver_neq', 'semver_gt', 'semver_gte', 'semver_lt', 'semver_lte'],
    oneOrMore(VERSIONS.filter((version) => version !== 'not a version'))
  )
)

const { group } = fc.letrec<{ group: Group; node: Filter | Group }>((tie) => ({
  group: fc.record({
    type: fc.constantFrom('AND' as const, 'OR' as const),
    values: fc.array(tie('node'), { maxLength: 3 })
  }),
  node: fc.oneof({ depthSize: 'small', maxDepth: 3 }, filter, tie('group'))
}))

async function withPersons(persons: JsonObject[]): Promise<TestProject> {
  const project = await newProject()
  await project.ingest(
    persons.map((set, i) => ({
      distinct_id: `person-${i}`,
      event: '$set',
      properties: { $set: set }
    }))
  )
  return project
}

async function idsOf(project: TestProject, query: string): Promise<string[]> {
  const { status, body } = await project.call('GET', `persons/?${query}`)
  expect(body).toMatchObject({ next: null })
  expect(status).toBe(200)
  expect(body.count).toBe(body.results.length)
  return body.results.flatMap(({ distinct_ids }: { distinct_ids: string[] }) => distinct_ids).sort()
}

const asQuery = (node: unknown) =>
  new URLSearchParams({ properties: JSON.stringify(node) }).toString()

describe('property filters', () => {
  it('select exactly the persons that an evaluation in memory selects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(properties, { minLength: 1, maxLength: 8 }),
        fc.array(group, { minLength: 5, maxLength: 5 }),
        async (persons, groups) => {
          const project = await withPersons(persons)
          for (const one of groups) {
            const expected = persons.flatMap((person, i) =>
              evaluate(one, person) ? [`person-${i}`] : []
            )
            expect(await idsOf(project, asQuery(one)), JSON.stringify(one)).toEqual(expected.sort())
          }
        }
      ),
      deep(100)
    )
  })

  const persons: JsonObject[] = [
    { plan: 'pro', age: 36, version: '1.2.3', seen: '2026-01-01' },
    { plan: 'free', age: '41', version: '1.3.0', seen: '2026-06-01T12:00:00Z' },
    { plan: null, version: '2.0.0-beta.1' }
  ]

  const nested = (levels: number, innermost: JsonObject): object => ({
    type: 'AND',
    values: [levels > 0 ? nested(levels - 1, innermost) : innermost]
  })

  it.each([
    ['a JSON array', asQuery([{ key: 'plan', value: 'pro' }]), ['person-0']],
    [
      'one filter',
      asQuery({ key: 'plan', value: ['pro', 'free'], operator: 'exact', type: 'person' }),
      ['person-0', 'person-1']
    ],
    [
      'a group',
      asQuery({
        type: 'OR',
        values: [
          { key: 'age', value: 41 },
          { key: 'plan', value: 'pro' }
        ]
      }),
      ['person-0', 'person-1']
    ],
    [
      'the parameter twice',
      `${asQuery([{ key: 'plan', operator: 'is_set' }])}&${asQuery({ key: 'age', operator: 'gt', value: 40 })}`,
      ['person-1']
    ],
    ['brackets', 'properties[0][key]=plan&properties[0][value]=pro', ['person-0']],
    [
      'brackets with a list',
      'properties[0][key]=plan&properties[0][value][]=pro&properties[0][value][]=free&properties[0][operator]=is_not',
      ['person-2']
    ],
    [
      'empty brackets, twice',
      'properties[]={"key":"plan","value":"pro"}&properties[]=[{"key":"age","operator":"is_set"}]',
      ['person-0']
    ],
    [
      'brackets with a field for display',
      'properties[0][key]=plan&properties[0][value]=pro&properties[0][label]=Plan',
      ['person-0']
    ],
    [
      'groups nested as deep as allowed',
      asQuery([nested(4, { key: 'plan', value: 'pro' })]),
      ['person-0']
    ],
    ['no filter at all', asQuery([]), ['person-0', 'person-1', 'person-2']],
    ['an empty parameter', 'properties=', ['person-0', 'person-1', 'person-2']],
    [
      'a tilde range',
      asQuery([{ key: 'version', operator: 'semver_tilde', value: '1.2.0' }]),
      ['person-0']
    ],
    [
      'a caret range',
      asQuery([{ key: 'version', operator: 'semver_caret', value: '1.2.0' }]),
      ['person-0', 'person-1']
    ],
    [
      'a wildcard',
      asQuery([{ key: 'version', operator: 'semver_wildcard', value: '1.*' }]),
      ['person-0', 'person-1']
    ],
    [
      'a tilde range of a short version',
      asQuery([{ key: 'version', operator: 'semver_tilde', value: '1' }]),
      ['person-0', 'person-1']
    ],
    [
      'a pre-release version',
      asQuery([{ key: 'version', operator: 'semver_gte', value: '2.0' }]),
      ['person-2']
    ],
    [
      'a wildcard alone',
      asQuery([{ key: 'version', operator: 'semver_wildcard', value: '*' }]),
      ['person-0', 'person-1', 'person-2']
    ],
    [
      'a filter beside another',
      `${asQuery([{ key: 'plan', operator: 'is_set' }])}&distinct_id=person-1`,
      ['person-1']
    ]
  ])('are read from %s', async (_, query, expected) => {
    expect(await idsOf(await withPersons(persons), query)).toEqual(expected)
  })

  it('accept relative dates', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * DAY).toISOString()
    const project = await withPersons([{ seen: day(1) }, { seen: day(10) }])

    expect(
      await idsOf(project, asQuery([{ key: 'seen', operator: 'is_date_after', value: '-7d' }]))
    ).toEqual(['person-0'])
    expect(
      await idsOf(project, asQuery([{ key: 'seen', operator: 'is_date_before', value: '1w' }]))
    ).toEqual(['person-1'])
  })

  it.each<[string, Json]>([
    ['between', [0, 5]],
    ['not_between', [6, 9]],
    ['gte', 1],
    ['exact', [1, 2]],
    ['is_not', [3, 4]],
    ['icontains', ['1', '2']],
    ['not_icontains', ['3', '4']],
    ['regex', '[12]'],
    ['is_set', null],
    ['is_not_set', null]
  ])(
    'may be 40 with the operator %s, beside every other filter and on each page',
    async (operator, value) => {
      const email = 'ada@example.com'
      const project = await withPersons([
        { n: 1, email },
        { n: 2, email }
      ])
      const key = operator === 'is_not_set' ? 'none' : 'n'
      const filters = Array.from({ length: 40 }, () => ({ key, operator, value }))
      const first = await project.call(
        'GET',
        `persons/?limit=1&email=${email}&search=ada@&${asQuery(filters)}`
      )

      const { status, body } = await project.call(
        'GET',
        `persons/${new URL(first.body.next).search}`
      )

      expect([first.status, status]).toEqual([200, 200])
      expect([first.body.count, body.results.length, body.next]).toEqual([2, 1, null])
      const both = asQuery([
        ...filters.slice(1),
        { key: 'email', operator: 'icontains', value: 'ada' }
      ])
      expect(
        await idsOf(project, `distinct_id=person-1&email=${email}&search=ada@&${both}`)
      ).toEqual(['person-1'])
    }
  )

  it('refuse to compare values with more than 8 million bytes', async () => {
    const project = await withPersons(Array.from({ length: 17 }, () => ({ plan: 'pro' })))
    await db.run(sql`
      update persons set properties = json_object('plan', 'pro', 'bio', char(0) || hex(zeroblob(250000)) || id)
      where project_id = ${project.id}`)
    const regex = (key: string) => ({ key, operator: 'regex', value: '^pro$' })

    const { status, body } = await project.call('GET', `persons/?${asQuery([regex('bio')])}`)

    expect([status, body.code, body.attr]).toEqual([400, 'query_too_large', 'properties'])
    expect(body.detail).toContain('"bio", which have more than 8000000 bytes in all')
    expect(await idsOf(project, asQuery([regex('plan')]))).toHaveLength(17)
  })

  it('refuse a regular expression that takes too long on the stored values', async () => {
    const project = await withPersons([{ bio: randomText(10_000) }])
    const query = asQuery([{ key: 'bio', operator: 'regex', value: 'a[ab]{300}$' }])

    const { status, body } = await project.call('GET', `persons/?${query}`)

    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'query_too_large',
      attr: 'properties',
      detail: expect.stringContaining('"a[ab]{300}$" takes too many steps on these values')
    })
  })

  it.each([
    ['[{"key":"n","value":', 'This is not valid JSON.'],
    ['[{"key":"n","value":9007199254740993}]', 'The number at `0.value` cannot be stored exactly'],
    ['[{"key":"n","value":"a","value":"b"}]', '`0.value` occurs twice: send it once.']
  ])('refuse %s in a URL', async (text, detail) => {
    const project = await newProject()

    const { status, body } = await project.call(
      'GET',
      `persons/?properties=${encodeURIComponent(text)}`
    )

    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'invalid_input',
      attr: 'properties',
      detail: expect.stringContaining(detail)
    })
  })

  it.each([
    [
      'an unknown operator',
      [{ key: 'plan', value: 1, operator: 'resembles' }],
      'The operator "resembles" is not supported. Supported: exact, in,'
    ],
    [
      'another type',
      [{ key: 'plan', value: 1, type: 'event' }],
      'must be person, cohort here; got "event"'
    ],
    ['no key', [{ value: 1 }], 'needs a `key`'],
    ['no value', [{ key: 'plan' }], 'exact needs a value'],
    ['a null value', [{ key: 'plan', value: [null] }], 'exact needs a value'],
    ['an object as value', [{ key: 'plan', value: {} }], 'must be a text, a number or a boolean'],
    ['the old dictionary', { plan__exact: 'pro' }, 'has no "plan__exact"'],
    ['an empty object', {}, 'needs a `key`'],
    ['a text', 'plan', 'must be JSON'],
    ['an unknown group', { type: 'XOR', values: [] }, 'must be AND or OR; got "XOR"'],
    ['a group without a list', { type: 'AND', values: {} }, 'list of filters and groups'],
    ['a non-number', [{ key: 'age', operator: 'gt', value: 'old' }], 'must be a number; got "old"'],
    [
      'a range upside down',
      [{ key: 'age', operator: 'between', value: [5, 1] }],
      'the lower number first'
    ],
    ['a range of three', [{ key: 'age', operator: 'between', value: [1, 2, 3] }], 'two numbers'],
    [
      'a broken pattern',
      [{ key: 'plan', operator: 'regex', value: '(' }],
      '"(" is not a regular expression'
    ],
    ['a pattern that is not linear', [{ key: 'plan', operator: 'regex', value: '(?=a)' }], 'RE2'],
    [
      'a pattern that is too long',
      [{ key: 'plan', operator: 'regex', value: 'a'.repeat(1_001) }],
      'at most 1000 characters'
    ],
    [
      'a pattern that is too large',
      [{ key: 'plan', operator: 'regex', value: '(a?){1000}a{1000}' }],
      'it would compile to about 9005 instructions, and at most 4000 are allowed'
    ],
    [
      'too many patterns',
      [{ key: 'plan', operator: 'not_regex', value: Array.from({ length: 101 }, () => 'a') }],
      'at most 100 regular expressions'
    ],
    [
      'patterns that are too large together',
      Array.from({ length: 11 }, () => ({ key: 'plan', operator: 'regex', value: '.{0,950}' })),
      'too large together'
    ],
    [
      'a long text to look for',
      [{ key: 'plan', operator: 'icontains', value: 'a'.repeat(1_001) }],
      'A value of icontains may have at most 1000 characters'
    ],
    [
      'a key with a null character',
      [{ key: 'plan\0', value: 1 }],
      'must not contain null characters'
    ],
    [
      'a non-date',
      [{ key: 'seen', operator: 'is_date_after', value: 'soon' }],
      'must be an ISO 8601 date or a relative date such as -7d; got "soon"'
    ],
    [
      'a non-version',
      [{ key: 'version', operator: 'semver_gt', value: 'new' }],
      'must be a version such as 1.2.3; got "new"'
    ],
    [
      'too many filters',
      Array.from({ length: 41 }, () => ({ key: 'plan', value: 1 })),
      'At most 40 property filters'
    ],
    ['too deep a group', nested(5, { key: 'plan', value: 'pro' }), 'at most 5 groups deep'],
    [
      'too many values',
      [{ key: 'plan', value: Array.from({ length: 1_001 }, () => 'x') }],
      'at most 1000 values'
    ],
    ...[
      [{ op: 'is_not' }, 'has no "op": did you mean "operator"?'],
      [{ comparison: 'gt' }, 'has no "comparison": did you mean "operator"?'],
      [{ match: 'all' }, 'has no "match": did you mean "operator"?'],
      [{ values: ['team'] }, 'has no "values": did you mean "value"?'],
      [{ not: true }, 'has no "not": use the opposite operator'],
      [{ inverse: true }, 'has no "inverse": use the opposite operator'],
      [{ negate: true }, 'has no "negate": use the opposite operator'],
      [{ negation: true }, 'has no "negation": use the opposite operator'],
      [{ case_sensitive: false }, 'has no "case_sensitive": icontains ignores case'],
      [{ group_type_index: 0 }, 'has no "group_type_index": groups are not supported.'],
      [{ color: 'red' }, 'has no "color": its keys are key, value, operator, type.']
    ].map(([more, detail]): [string, object, string] => [
      JSON.stringify(more),
      [{ key: 'plan', value: 'pro', ...(more as object) }],
      String(detail)
    ]),
    ...['operator', 'conjunction', 'op'].map((name): [string, object, string] => [
      `a group with ${name}`,
      { [name]: 'OR', values: [{ key: 'plan', value: 'pro' }] },
      `A group of property filters has no "${name}": did you mean "type"?`
    ]),
    [
      'a negated group',
      { type: 'AND', negate: true, values: [] },
      'has no "negate": use the opposite'
    ],
    ...['9007199254740993', '1e400', '0.1000000000000000000001'].map(
      (value): [string, object, string] => [
        `the number ${value}`,
        [{ key: 'age', operator: 'lt', value }],
        `"${value}" cannot be compared exactly`
      ]
    ),
    [
      'a range up to a number that no double equals',
      [{ key: 'age', operator: 'between', value: [1, '9007199254740993'] }],
      'cannot be compared exactly'
    ]
  ])('refuse %s, and say why', async (_, node, detail) => {
    const { status, body } = await (await newProject()).call('GET', `persons/?${asQuery(node)}`)

    expect(status).toBe(400)
    expect(body).toMatchObject({
      type: 'validation_error',
      code: 'invalid_input',
      attr: 'properties'
    })
    expect(body.detail).toContain(detail)
  })

  it('accept the display keys that clients add', async () => {
    const project = await withPersons([{ plan: 'pro' }, { plan: 'team' }])
    const displayed = {
      label: 'Plan',
      cohort_name: null,
      group_key_names: { a: 'b' },
      group_type_index: null,
      negation: false,
      custom: ''
    }
    const filter = { key: 'plan', value: 'pro', operator: 'exact', type: 'person', ...displayed }

    expect(await idsOf(project, asQuery({ type: 'AND', values: [filter], label: 'x' }))).toEqual([
      'person-0'
    ])
  })

  it('compare texts with whole numbers exactly up to 64 bits, and longer numbers not at all', async () => {
    const project = await withPersons([
      { n: '9007199254740993' },
      { n: '9007199254740992' },
      { n: '9223372036854775809' },
      { n: '1e3' }
    ])
    const found = (operator: string, value: string) =>
      idsOf(project, asQuery([{ key: 'n', operator, value }]))

    expect(await found('gt', '9007199254740992')).toEqual(['person-0'])
    expect(await found('lte', '9007199254740992')).toEqual(['person-1', 'person-3'])
    expect(await found('gte', '0')).toEqual(['person-0', 'person-1', 'person-3'])
  })

  it.each([
    ['properties={', 'JSON'],
    [
      'properties[0][key]=a&properties[0]=b',
      'properties[0] has both a value and members in brackets: send one of them.'
    ],
    [
      'properties[0]=b&properties[0][key]=a',
      'properties[0] has both a value and members in brackets: send one of them.'
    ],
    [
      'properties[0][value]=a&properties[0][value][]=b',
      'properties[0][value] has both a value and members in brackets: send one of them.'
    ],
    ['properties[<]=1', 'properties[<] is not a property filter'],
    [
      'properties[0][key]=plan&properties[0][value]=gold&properties[0][value]=silver',
      'properties[0][value] is given more than once, with different values: send it once.'
    ]
  ])('refuse %s', async (query, detail) => {
    const { status, body } = await (await newProject()).call('GET', `persons/?${query}`)

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'properties' })
    expect(body.detail).toContain(detail)
  })

  it('accept the documented number of filters and of regular expressions', async () => {
    const project = await withPersons([{ plan: 'pro' }])
    const many = Array.from({ length: 40 }, (_, i) => ({
      key: i % 2 ? 'plan' : `key ${i}`,
      operator: i % 2 ? 'icontains' : 'not_regex',
      value: ['PRO', ...Array.from({ length: i % 2 ? 20 : 4 }, (_, n) => `x${n}`)]
    }))

    expect(await idsOf(project, asQuery(many))).toEqual(['person-0'])
  })
})
