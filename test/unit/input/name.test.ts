import { describe, expect, it } from 'vitest'
import { findSimilarName } from '../../../src/input/closest.ts'

const KNOWN = [
  'email',
  'limit',
  'n',
  'date_from',
  'date_to',
  'delete_events',
  'person_uuid',
  '$unset'
]

describe('a name', () => {
  it.each([
    ['emial', 'email'],
    ['emai', 'email'],
    ['emails', 'email'],
    ['Email', 'email'],
    ['e-mail', 'email'],
    ['dateFrom', 'date_from'],
    ['date_form', 'date_from'],
    ['delete_event', 'delete_events'],
    ['deleteEvents', 'delete_events'],
    ['delete_evnets', 'delete_events'],
    ['personUUID', 'person_uuid'],
    ['limit[]', 'limit'],
    ['unset', '$unset'],
    ['N', 'n']
  ])('%s resembles %s', (name, meant) => {
    expect(findSimilarName(name, KNOWN)).toBe(meant)
  })

  it.each([
    'colour',
    'id',
    'x',
    '',
    'name',
    'date',
    'timeline',
    'mail_to',
    'from',
    'e'.repeat(5_000)
  ])('%j resembles none', (name) => {
    expect(findSimilarName(name, KNOWN)).toBeUndefined()
  })

  it('resembles the closest of several names', () => {
    expect(findSimilarName('distinct_id_', ['distinct_ids', 'distinct_id'])).toBe('distinct_id')
    expect(findSimilarName('ordre_by', ['order', 'order_by'])).toBe('order_by')
  })
})
