import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  JSON_LIMITS,
  MAX_DEPTH,
  MAX_JSON_VALUES,
  MAX_MEMORY,
  scan
} from '../../../src/input/scan.ts'
import { deep } from '../../support/depth.ts'

/** Deeper and with more values than any limit allows. */
const UNLIMITED = { depth: 2_000, memory: 1e9, values: 1e9 }

const findInexact = (json: string) => scan(json, UNLIMITED).inexact
const findRepeated = (json: string) => scan(json, UNLIMITED).repeated

describe('numbers that JSON.parse changes', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '1234567890123456.7',
    '12345678.123456789012',
    '0.1000000000000000055',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993e0',
    `1${'0'.repeat(150)}1`
  ])('are found: %s', (number) => {
    expect(findInexact(`{"n":${number}}`)).toEqual(['n'])
  })

  it.each([
    '0',
    '-0',
    '0.0',
    '0e5',
    '1e21',
    '1E+3',
    '9007199254740992',
    '9007199254740994',
    '123456789012345680000',
    '0.30000000000000004',
    '0.10000000000000001',
    '3.2999999999999998',
    '100.00000000000000000000',
    '5e-324',
    '1.7976931348623157e308'
  ])('do not include %s, which a double holds', (number) => {
    expect(findInexact(`{"n":${number}}`)).toBeUndefined()
  })

  it('do not include the text of any double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const texts = [String(value), value.toPrecision(17), value.toExponential(16)]
        expect(findInexact(`[${texts.join(',')}]`)).toBeUndefined()
      }),
      deep(10_000)
    )
  })

  it('are the integers beyond 2^53 that are not doubles', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }), (whole) => {
        const isKept = BigInt(Number(whole)) === whole
        // Zeros at the end may be how a double is written: 123456789012345680000.
        fc.pre(isKept || whole % 10n !== 0n)
        expect(findInexact(`[${whole}]`)).toEqual(isKept ? undefined : ['0'])
      }),
      deep(10_000)
    )
  })

  it.each<[string, string[] | undefined]>([
    ['{"a":["n: 1e400"],"b":{"c":[true,[],1,1e999]}}', ['b', 'c', '3']],
    ['[{"a":"[,{9007199254740993"},{"n":-1e400}]', ['1', 'n']],
    ['{"a":{"b":1},"\\"\\u006e":{"x":[{},[2,9007199254740993]]}}', ['"n', 'x', '1', '1']],
    ['{"a":"\\\\","b": 9007199254740993}', ['b']],
    ['{"a":"9007199254740993","b":"x, 1e400","c":false}', undefined]
  ])('are named by their path, and never found inside texts: %s', (text, path) => {
    JSON.parse(text)

    expect(findInexact(text)).toEqual(path)
  })

  it.each([
    ['many numbers', `[${'1,'.repeat(2_000_000)}1e400]`, ['2000000']],
    ['many members', `{"n":{${'"":1e3,'.repeat(200_000)}"x":1e400}}`, ['n', 'x']],
    ['a long text', `["${'\\\\'.repeat(4_900_000)}",1e400]`, ['1']],
    ['many digits', `[1e3,1${'0'.repeat(9_000_000)}1]`, ['1']]
  ])('are found after %s', (_, text, path) => {
    expect(findInexact(text)).toEqual(path)
  })

  it.each([
    ['that `JSON.stringify` writes alike', '0.30000000000000004', true],
    ['with few digits', '1e1', true],
    ['that `JSON.stringify` writes differently', '1e100', false]
  ])('after 100,000 numbers %s, such as %s, are found: %s', (_, number, isFound) => {
    const text = `[${`${number},`.repeat(100_000)}1e400]`

    expect(findInexact(text)).toEqual(isFound ? ['100000'] : undefined)
  })

  it('are found after 40,000 compared numbers, but not inside a text', () => {
    const text = `["[9007199254740993",${'1e100,'.repeat(40_000)}1e400]`

    expect(findInexact(text)).toEqual(['40001'])
  })
})

describe('repeated members', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":[{},{"c":1,"d":2,"c":3}]}}', ['a', 'b', '1', 'c']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"":1,"":1}', ['']],
    ['[{"a":"{\\"a\\":1}","b":{"a":1},"a":2}]', ['0', 'a']],
    ['{"a" :1,"a"\n:2}', ['a']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"a":{"b":{"c":1}},"a":null}', ['a']]
  ])('are found in %s', (json, path) => {
    expect(findRepeated(json)).toEqual(path)
  })

  it.each([
    '{"a":"\\":","b":"x\\" :"}',
    '{"a":{"a":{"a":1}},"__proto__":{"a":2}}',
    `{"a":${'['.repeat(1_900)}${']'.repeat(1_900)}}`
  ])('are not found where there are none: %#', (json) => {
    expect(findRepeated(json)).toBeUndefined()
  })

  it('are found whatever the names, the values and the white space', () => {
    const members = fc.array(fc.tuple(fc.constantFrom('a', 'b', '":', '\\', ''), fc.jsonValue()))
    fc.assert(
      fc.property(members, fc.constantFrom('', ' ', '\n\t'), (list, space) => {
        const texts = list.map(
          ([name, value]) => `${JSON.stringify(name)}${space}:${JSON.stringify(value)}`
        )
        const json = `[{${texts.join(',')}}]`
        const names = list.map(([name]) => name)
        const second = names.find((name, i) => names.indexOf(name) < i)

        expect(findRepeated(json)).toEqual(second === undefined ? undefined : ['0', second])
      }),
      deep(2_000)
    )
  })

  it('do not occur in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value = JSON.parse(json)

        expect(findRepeated(JSON.stringify(value))).toBeUndefined()
      }),
      deep(2_000)
    )
  })
})

describe('numbers that become texts', () => {
  const NAMES = new Set(['id', '$id'])
  const textOf = (json: string) => scan(json, JSON_LIMITS, NAMES).text

  it.each([
    ['{"id":9007199254740992}', '{"id":"9007199254740992"}'],
    ['[{"id": -12345678901234567890 ,"n":1}]', '[{"id": "-12345678901234567890" ,"n":1}]'],
    ['{"\\u0069d":1152921504606846977}', '{"\\u0069d":"1152921504606846977"}'],
    ['{"id":{"id":1e3,"$id":9007199254740993}}', '{"id":{"id":1e3,"$id":"9007199254740993"}}'],
    [
      '{"a":"id","id":"9007199254740993","$id":0.99999999999999999999}',
      '{"a":"id","id":"9007199254740993","$id":"0.99999999999999999999"}'
    ]
  ])('are those that would be rounded: %s', (json, expected) => {
    expect(textOf(json)).toBe(expected)
    expect(scan(json, JSON_LIMITS, NAMES).inexact).toBeUndefined()
  })

  it.each([
    '{"id":9007199254740991,"$id":-9007199254740991}',
    '{"id":1.5,"$id":1e3}',
    '{"id":1e400}',
    '{"id":[9007199254740993]}',
    '{"n":9007199254740993,"text":"\\"id\\":9007199254740993"}'
  ])('are no others: %s', (json) => {
    expect(textOf(json)).toBe(json)
  })

  it('keep integers of any length apart', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 3n }), (whole, more) => {
        const [first, second] = [whole, whole + more].map(
          (id) => JSON.parse(textOf(`[{"id":${id}}]`))[0].id
        )

        expect([String(first), String(second)]).toEqual([String(whole), String(whole + more)])
      }),
      deep(2_000)
    )
  })
})

describe('the limits', () => {
  const limited = (limits: Partial<typeof JSON_LIMITS>) => ({ ...UNLIMITED, ...limits })

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['lists in objects', '{"a":[', ']}']
  ])('allow as many levels of %s as they say', (_, open, close) => {
    const nested = (times: number) => `${open.repeat(times)}1${close.repeat(times)}`
    const times = MAX_DEPTH / (open.match(/[[{]/g)?.length ?? 1)

    expect(scan(nested(times)).isTooDeep).toBe(false)
    expect(scan(nested(times + 1)).isTooDeep).toBe(true)
    expect(scan(`[${nested(times - 1)},${nested(times - 1)}]`).isTooDeep).toBe(false)
  })

  it('do not stop at brackets inside texts and names', () => {
    const open = '['.repeat(1_000)

    expect(scan(JSON.stringify({ [open]: `${open}"\\"${open}` })).isTooDeep).toBe(false)
  })

  it.each([
    ['lists', (values: number) => `[${'[],'.repeat(values - 2)}[]]`],
    ['words', (values: number) => `[${'true,false,null,'.repeat((values - 2) / 3)}null]`],
    ['numbers', (values: number) => `[${'-1.5e3, '.repeat(values - 2)}1]`],
    ['members', (values: number) => `{${'"a" : "x",'.repeat(values - 2)}"a":{}}`]
  ])('allow as many values as they say: %s', (_, textOf) => {
    const text = textOf(302)
    JSON.parse(text)

    expect(() => scan(text, limited({ values: 302 }))).not.toThrow()
    expect(() => scan(text, limited({ values: 301 }))).toThrow(
      'maximum number of JSON values exceeded: 301'
    )
  })

  it('count exactly the values that a text has', () => {
    const countOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce<number>((sum, inner) => sum + countOf(inner), 1)
        : 1
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        const values = countOf(JSON.parse(text))

        expect(() => scan(text, limited({ values }))).not.toThrow()
        expect(() => scan(text, limited({ values: values - 1 }))).toThrow('JSON values')
      }),
      deep(2_000)
    )
  })

  it.each([
    ['empty objects', '{},', 64],
    ['empty lists', '[],', 40],
    ['lists of a number', '[1],', 64],
    ['objects of a number', '{"a":1},', 40],
    ['objects of an object', '{"a":{}},', 96],
    ['objects of a new name', (n: number) => `{"${n.toString(36)}":1},`, 185],
    ['objects of a number as name', (n: number) => `{"${1_000 + n}":1},`, 208],
    ['texts', (n: number) => `"${n.toString(36)}",`, 32],
    ['fractions among texts', '0.5,"",', 32],
    ['numbers', '1,', 8]
  ])('allow at most 40 MB of %s, by the bytes that V8 takes for each', (_, element, bytes) => {
    const count = Math.ceil(40_000_000 / bytes)
    const elements =
      typeof element === 'string'
        ? element.repeat(count)
        : Array.from({ length: count }, (_, n) => element(n)).join('')

    expect(() => scan(`[${elements}0]`, { ...UNLIMITED, memory: MAX_MEMORY })).toThrow(
      `maximum size of JSON values in memory exceeded: ${MAX_MEMORY} bytes`
    )
  })

  it.each([
    [
      '10 MB of events with 200 properties',
      2_000,
      () => ({
        uuid: '01a1f000-0000-7000-8000-00000000000a',
        event: 'report opened',
        distinct_id: 'ada',
        timestamp: '2026-10-02T10:11:12.345Z',
        properties: Object.fromEntries(
          Array.from({ length: 200 }, (_, n) => [`property_${n}`, n % 3 > 0 ? n : `value ${n}`])
        )
      })
    ],
    [
      '10 MB of movements of the mouse',
      10_000,
      () => ({
        type: 3,
        data: {
          source: 1,
          positions: Array.from({ length: 20 }, (_, n) => ({
            x: n,
            y: 100 + n,
            id: 7,
            timeOffset: -n
          }))
        },
        timestamp: 1_795_238_124_740
      })
    ],
    [
      '10 MB of elements of a page',
      100_000,
      (n: number) => ({
        type: 2,
        tagName: 'div',
        attributes: { class: 'row' },
        childNodes: [{ type: 3, textContent: 'Ada', id: n }],
        id: n
      })
    ]
  ])('allow %s', (_, count, elementOf) => {
    const batch = Array.from({ length: count }, (_, n) => elementOf(n))
    const text = JSON.stringify({ batch })
    const bytes = text.length

    expect(bytes).toBeGreaterThan(6_000_000)
    expect(() =>
      scan(text, { ...UNLIMITED, memory: (MAX_MEMORY * bytes) / 10_000_000 })
    ).not.toThrow()
  })

  it('of the API allow the largest properties of a person', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, n) => [`property_${n}`, `v${n}`])
    )
    const text = JSON.stringify({ properties })

    expect(text.length).toBeGreaterThan(480_000)
    expect(() => scan(text)).not.toThrow()
    expect(JSON_LIMITS).toMatchObject({ values: MAX_JSON_VALUES, memory: MAX_MEMORY })
  })
})

it.each([
  '{1e400',
  '{"a":1,2}',
  ':1e400',
  '["\\u00":1e400]',
  ']]]]',
  '{"\\x":1,"\\x":1}',
  '"\\',
  '"a'
])('invalid JSON is read to its end: %s', (json) => {
  expect(() => JSON.parse(json)).toThrow(SyntaxError)
  expect(() => scan(json)).not.toThrow()
})

it('any text is read to its end, whether or not it is JSON', () => {
  const part = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '1e999', '"a"', 'true', ' ')
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(() => scan(parts.join(''))).not.toThrow()
    }),
    deep(5_000)
  )
})
