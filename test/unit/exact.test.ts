import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findInexact, findRepeated } from '../../src/input/exact.ts'
import { deep } from '../support/depth.ts'

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
    expect(findRepeated(json, JSON.parse(json))).toEqual(path)
  })

  it.each([
    '{"a":"\\":","b":"x\\" :"}',
    '{"a":{"a":{"a":1}},"__proto__":{"a":2}}',
    `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  ])('are not found where there are none: %#', (json) => {
    expect(findRepeated(json, JSON.parse(json))).toBeUndefined()
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

        expect(findRepeated(json, JSON.parse(json))).toEqual(
          second === undefined ? undefined : ['0', second]
        )
      }),
      deep(2_000)
    )
  })

  it('do not occur in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value = JSON.parse(json)

        expect(findRepeated(JSON.stringify(value), value)).toBeUndefined()
      }),
      deep(2_000)
    )
  })
})
