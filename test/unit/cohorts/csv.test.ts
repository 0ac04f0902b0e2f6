import { expect, it } from 'vitest'
import { readPersonsCsv } from '../../../src/cohorts/csv.ts'

it.each([
  ['ada\nbob', 'distinct_id', ['ada', 'bob']],
  ['\ufeffada\r\nbob\r\n\r\n', 'distinct_id', ['ada', 'bob']],
  ['distinct_id\nada\n', 'distinct_id', ['ada']],
  ['"a,b"\n"say ""hi"""\n" x\ny"', 'distinct_id', ['a,b', 'say "hi"', ' x\ny']],
  ['Email\n ada@example.com \n', 'email', ['ada@example.com']],
  ['name,distinct-id\nAda,ada\n,bob\nCleo,\n', 'distinct_id', ['ada', 'bob']],
  ['email,distinct_id,person_id\na,b,c', 'person_id', ['c']],
  ['created_at,distinct_ids,id,name,uuid\n2026,"[""ada""]",5,Ada,u-1', 'person_id', ['u-1']]
])('reads %j', (text, by, names) => {
  expect(readPersonsCsv(text)).toEqual({ by, names })
})

it.each([
  ['', 'The file has no lines.'],
  ['\n\n', 'The file has no lines.'],
  ['name,plan\nAda,pro', 'must name a column person_id, distinct_id or email; got "name,plan"'],
  ['ada\nbo"b', 'Line 2 is not CSV: "bo\\"b"'],
  ['"ada', 'Line 1 is not CSV'],
  ['x\n'.repeat(250_001), 'more than 250000 lines']
])('refuses %j', (text, detail) => {
  expect(() => readPersonsCsv(text)).toThrow(detail)
})
