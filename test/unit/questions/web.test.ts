import { expect, it } from 'vitest'
import { WebGrouping } from '../../../src/questions/web/groups.ts'
import { SessionRows, VisitorRows } from '../../../src/questions/web/rows.ts'
import type { SessionFacts } from '../../../src/questions/web/sessions.ts'
import { WebTotals } from '../../../src/questions/web/totals.ts'
import type { Views } from '../../../src/questions/web/views.ts'
import { PairAllowance, PairSet } from '../../../src/trends/maths/marks.ts'

const [ADA, BO] = [2, 4]

/** The sessions of the worked example: 0 bounced, 1 lasted 12 s, 2 had a click after 3 s; 3 had no page. */
const FACTS: SessionFacts = {
  secondsOf: (session) => [0, 12, 3, 50][session] ?? Number.NaN,
  isBounce: (session) => [true, false, false, undefined][session]
}

type View = { actor: number; session: number; group?: number }

const toViews = (views: View[]): Views => ({
  actors: Int32Array.from(views, ({ actor }) => actor),
  sessions: Int32Array.from(views, ({ session }) => session),
  groups: views.some(({ group }) => group !== undefined)
    ? Int32Array.from(views, ({ group }) => group ?? 0)
    : undefined
})

it('counts visitors, views and sessions as in the worked example', () => {
  const totals = new WebTotals(FACTS)
  const views = [
    { actor: ADA, session: 0 },
    { actor: BO, session: 1 },
    { actor: ADA, session: 2 }
  ]

  totals.add(toViews(views), 0, views.length)

  expect(totals.numbers).toEqual({
    visitors: 2,
    views: 3,
    sessions: 3,
    seconds: 5,
    bounceRate: 100 / 3
  })
})

it('leaves out views outside the range, without a session, and those that do not match', () => {
  const totals = new WebTotals(FACTS)
  const views = [
    { actor: 6, session: 1 },
    { actor: ADA, session: -1 },
    { actor: BO, session: 2, group: -1 },
    { actor: ADA, session: 2 },
    { actor: 8, session: 1 }
  ]

  totals.add(toViews(views), 1, 4)

  expect(totals.numbers).toEqual({
    visitors: 1,
    views: 1,
    sessions: 1,
    seconds: 3,
    bounceRate: 0
  })
})

it('has no length and no rate without sessions that could have them', () => {
  const nothing = new WebTotals(FACTS)
  const pageless = new WebTotals(FACTS)
  pageless.add(toViews([{ actor: ADA, session: 3 }]), 0, 1)

  expect(nothing.numbers).toMatchObject({ sessions: 0, seconds: null, bounceRate: null })
  expect(pageless.numbers).toMatchObject({ sessions: 1, seconds: 50, bounceRate: null })
})

it('counts the visitors and views of each value', () => {
  const rows = new VisitorRows()
  const views = [
    { actor: ADA, session: 0, group: 1 },
    { actor: BO, session: 1, group: 3 },
    { actor: ADA, session: 2, group: 3 },
    { actor: ADA, session: 2, group: 3 },
    { actor: ADA, session: -1, group: 3 },
    { actor: ADA, session: 2, group: -1 }
  ]

  rows.add(toViews(views), 0, views.length)

  expect([rows.views[1], rows.visitors[1]]).toEqual([1, 1])
  expect([rows.views[3], rows.visitors[3]]).toEqual([3, 2])
  expect(rows.views[0]).toBeUndefined()
})

it('counts a session once for each value in its bounce rate', () => {
  const rows = new SessionRows(FACTS)
  const views = [
    { actor: ADA, session: 0, group: 1 },
    { actor: ADA, session: 0, group: 1 },
    { actor: BO, session: 1, group: 1 },
    { actor: BO, session: 3, group: 2 },
    { actor: ADA, session: 2, group: 3 }
  ]

  rows.add(toViews(views), 0, views.length)

  expect(rows.rates[1]).toBe(0.5)
  expect(rows.rates[2] ?? null).toBeNull()
  expect(rows.rates[3]).toBe(0)
})

it('knows each of many pairs once', () => {
  const pairs = new PairSet(new PairAllowance())
  const add = () => {
    let added = 0
    for (let group = 0; group < 50; group += 1) {
      for (let subject = 0; subject < 2_000; subject += 1) {
        added += pairs.add(group, subject * 64) ? 1 : 0
      }
    }
    return added
  }

  expect([add(), add()]).toEqual([100_000, 0])
  expect([pairs.add(99_999, 2 ** 31 - 1), pairs.add(99_999, 2 ** 31 - 1)]).toEqual([true, false])
})

it('takes no more pairs than its limit', () => {
  const pairs = new PairSet(new PairAllowance(2))
  pairs.add(0, 1)
  pairs.add(1, 1)

  expect(pairs.add(1, 1)).toBe(false)
  expect(() => pairs.add(2, 1)).toThrow('needs more than 2 different actors')
})

it('takes no more values of a breakdown than fit into memory', () => {
  const many = new WebGrouping()
  for (let i = 0; i < 100_000; i += 1) {
    many.groupOf(`/${i}`)
  }
  const long = new WebGrouping()
  long.groupOf('x'.repeat(7_999_999))

  expect(many.groupOf('/7')).toBe(7)
  expect(() => many.groupOf(null)).toThrow('more than 100000 values')
  expect(() => long.groupOf('ab')).toThrow('values that are too long')
})
