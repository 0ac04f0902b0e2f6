import { describe, expect, it } from 'vitest'
import { billOf, COUNTED, PRICES, totalOf } from '../../../console/project/costs.ts'
import { findingsOf, type ServiceHealth } from '../../../console/project/findings.ts'
import {
  grantWords,
  isSoon,
  lifetimesWithin,
  membersOf,
  rolesWithin
} from '../../../console/project/words.ts'
import { ROLE_SCOPES } from '../../../src/access/roles.ts'
import { DAY } from '../../../src/calendar/units.ts'

const database = {
  binding: 'DB',
  status: 'ok' as const,
  answers: true,
  size_bytes: 2.4e9,
  fill: 0.24,
  damaged_columns: 0
}

const HEALTHY: ServiceHealth = {
  status: 'ok',
  database,
  other_databases: [],
  secrets: [{ name: 'RECEIPT_KEY', status: 'ok' }],
  ledger: 'ok',
  ledger_fault: null,
  queue: { backlog: 0 },
  dead_letters: 0,
  crons: [{ cron: '* * * * *', last_run: '2026-11-28T05:00:00Z', failed_jobs: 0, overdue: false }]
}

const say = (change: Partial<ServiceHealth>) =>
  findingsOf(
    { ...HEALTHY, ...change },
    { number: String, moment: (date) => date.toISOString().slice(11, 16) }
  )

describe('the health in words', () => {
  it('has nothing to do while everything works', () => {
    const findings = say({})

    expect(findings.map(({ part }) => part)).toEqual([
      'Database DB',
      'RECEIPT_KEY',
      'Ledger of erasures',
      'Queues',
      'Dead letters',
      'Jobs of each minute'
    ])
    expect(findings[0]?.words).toBe('2.4 GB, 24% full.')
    expect(findings.every(({ state, todo }) => state === 'ok' && todo === undefined)).toBe(true)
  })

  it.each<[string, Partial<ServiceHealth>, string, RegExp, RegExp]>([
    [
      'a full database',
      { database: { ...database, status: 'warning', fill: 0.91 } },
      'warning',
      /91% full/,
      /another database/
    ],
    [
      'a silent database',
      { database: { ...database, status: 'unavailable', answers: false } },
      'unavailable',
      /does not answer/,
      /dashboard/
    ],
    [
      'a missing migration',
      { other_databases: [{ ...database, binding: 'DB_2', status: 'unavailable' }] },
      'unavailable',
      /migration is missing/,
      /npm run deploy/
    ],
    [
      'damaged columns',
      { database: { ...database, status: 'warning', damaged_columns: 3 } },
      'warning',
      /3 columns/,
      /15 minutes/
    ],
    [
      'a missing secret',
      { secrets: [{ name: 'RECEIPT_KEY', status: 'missing' }] },
      'unavailable',
      /not set/,
      /npm run deploy/
    ],
    [
      'a changed secret',
      { secrets: [{ name: 'RECEIPT_SECRET', status: 'changed', detail: 'It is another one.' }] },
      'unavailable',
      /another one/,
      /escrow/
    ],
    ['a ledger behind', { ledger: 'behind' }, 'unavailable', /restored/, /within minutes/],
    [
      'a damaged ledger',
      { ledger: 'damaged', ledger_fault: 'Entry 3 is missing.' },
      'unavailable',
      /Entry 3/,
      /npm run verify/
    ],
    ['dead letters', { dead_letters: 2 }, 'warning', /2 messages/, /redrive/],
    [
      'failed jobs',
      { crons: [{ ...cron(), failed_jobs: 1 }] },
      'warning',
      /Last run: 05:00\. 1 jobs failed/,
      /log/
    ],
    [
      'a late cron',
      { crons: [{ ...cron(), overdue: true }] },
      'warning',
      /overdue/,
      /Cron Triggers/
    ]
  ])('says first what to do about %s', (_, change, state, words, todo) => {
    const [first] = say(change)

    expect(first?.state).toBe(state)
    expect(first?.words).toMatch(words)
    expect(first?.todo).toMatch(todo)
  })
})

function cron() {
  return { cron: '* * * * *', last_run: '2026-11-28T05:00:00Z', failed_jobs: 0, overdue: false }
}

describe('the estimate of the cost', () => {
  it('is the base price while everything is included', () => {
    expect(totalOf(billOf(0))).toBe(PRICES.base)
    expect(totalOf(billOf(100_000))).toBe(PRICES.base)
  })

  it('adds what exceeds the included amount, by hand', () => {
    const bill = billOf(10_000_000)
    const dollars = Object.fromEntries(bill.map((item) => [item.name, item.dollars]))

    // 6 million operations of which 1 million are included, at 0.40 per million.
    expect(dollars.queues).toBeCloseTo(2, 10)
    // 10 million events of 12 months, in GB, of which 5 are included, at 0.75.
    expect(dollars.storage).toBeCloseTo(((120e6 * COUNTED.bytes) / 1e9 - 5) * 0.75, 8)
    expect(dollars.requests).toBe(0)
    expect(totalOf(bill)).toBeCloseTo(5 + 2 + (dollars.storage ?? 0), 8)
  })
})

describe('keys in words', () => {
  it('offers the roles whose scopes a key has', () => {
    expect(rolesWithin(['*'])).toEqual(['viewer', 'editor', 'privacy', 'admin'])
    expect(rolesWithin(ROLE_SCOPES.editor)).toEqual(['viewer', 'editor'])
    expect(rolesWithin(['insight:write'])).toEqual([])
  })

  it('names a role, or the scopes', () => {
    expect(grantWords({ role: 'editor', scopes: [] })).toBe('Editor')
    expect(grantWords({ role: null, scopes: ['insight:read', 'person:read'] })).toBe(
      'insight:read, person:read'
    )
  })

  it('offers no end after that of the key that makes another', () => {
    const end = new Date(Date.now() + 20 * DAY).toISOString()
    const names = (limit: string | null) => lifetimesWithin(limit, () => 'some day')

    expect(names(null).map(({ days }) => days)).toEqual([undefined, 7, 30, 90, 365])
    expect(names(end)).toEqual([
      { days: undefined, name: 'With your key, on some day' },
      { days: 7, name: 'In 7 days' }
    ])
    expect(isSoon(new Date(end))).toBe(false)
    expect(isSoon(new Date(Date.now() + 6 * DAY))).toBe(true)
  })

  it('lists people by their last use', () => {
    const user = (id: number) => ({ id, first_name: `u${id}`, last_name: '', email: '' })
    const key = (id: number, of: number, last_used_at: string | null) => ({
      id,
      label: '',
      mask_value: '',
      role: null,
      scopes: [],
      scoped_teams: [],
      user: user(of),
      created_by: null,
      created_at: '',
      expires_at: null,
      last_used_at,
      is_current: false,
      can_revoke: true
    })

    const members = membersOf([
      key(1, 1, '2026-11-01T00:00:00Z'),
      key(2, 2, null),
      key(3, 3, '2026-11-03T00:00:00Z'),
      key(4, 1, '2026-11-02T00:00:00Z')
    ])

    expect(members.map(({ user, keys, lastUsed }) => [user.id, keys.length, lastUsed])).toEqual([
      [3, 1, '2026-11-03T00:00:00Z'],
      [1, 2, '2026-11-02T00:00:00Z'],
      [2, 1, null]
    ])
  })
})
