import { expect, it } from 'vitest'
import { Sessions } from '../../../src/trends/sessions.ts'

const uuidOf = (n: number): string =>
  `${(n * 7919).toString(16).padStart(8, '0')}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

it('numbers sessions in the order in which they are seen, whatever their ids', () => {
  const sessions = new Sessions()
  const ids = [uuidOf(1), 'mine', uuidOf(2), uuidOf(1).toUpperCase(), 'ünïcödé', '', 7]

  expect(ids.map((id) => sessions.numberOf(id))).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(ids.map((id) => sessions.numberOf(id))).toEqual([0, 1, 2, 3, 4, 5, 6])
})

it('tells ids apart that differ in one character', () => {
  const sessions = new Sessions()
  const id = '01890a5d-ac96-774b-bcce-b302099a8057'
  const others = Array.from(
    id,
    (_, i) => `${id.slice(0, i)}${id[i] === '1' ? '2' : '1'}${id.slice(i + 1)}`
  )

  const numbers = new Set([id, ...others].map((one) => sessions.numberOf(one)))

  expect(numbers.size).toBe(37)
  expect(sessions.numberOf(id)).toBe(0)
})

it('knows a hundred thousand sessions', () => {
  const sessions = new Sessions()
  const ids = Array.from({ length: 100_000 }, (_, n) => (n % 10 === 0 ? `s${n}` : uuidOf(n)))
  const numbers = ids.map((id) => sessions.numberOf(id))

  expect(numbers.every((number, n) => number === n)).toBe(true)
  expect(ids.every((id, n) => sessions.numberOf(id) === n)).toBe(true)
})

it('numbers the sessions of a column', () => {
  const column = { codes: Uint8Array.from([1, 0, 2, 1]), values: [null, 'b', uuidOf(3)] }

  expect([...new Sessions().of(column)]).toEqual([0, -1, 1, 0])
})
