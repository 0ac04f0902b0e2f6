import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinSteps, stepOf } from '../../../src/sessions/journey.ts'
import { shinglesOf } from '../../../src/sessions/shingles.ts'
import { compareSteps } from '../../../src/sessions/similarity.ts'
import { deep } from '../../support/depth.ts'

const page = (path: string) => `$pageview ${path}`

const HOME = page('/')
const CART = page('/cart')
const PAY = page('/pay')
const DONE = page('/thanks')
const CLICK = '$autocapture click'

/** A session that ends with a purchase. */
const BUYS = [HOME, page('/shoes'), page('/shoes/:id'), 'added to cart', CART, PAY, 'bought', DONE]

/** Twelve sessions, ranked by hand by their similarity to the purchase; the most similar is first. */
const RANKED: [why: string, steps: string[]][] = [
  ['the same', BUYS],
  ['the same with clicks in between', [HOME, CLICK, ...BUYS.slice(1, 5), CLICK, ...BUYS.slice(5)]],
  ['one page more', [...BUYS.slice(0, 3), page('/sizes'), ...BUYS.slice(3)]],
  ['one page less', BUYS.filter((step) => step !== page('/shoes'))],
  ['looks around first', [page('/news'), page('/about'), page('/team'), ...BUYS]],
  ['two steps the other way round', [...BUYS.slice(0, 4), PAY, CART, ...BUYS.slice(6)]],
  ['leaves at the cart', BUYS.slice(0, 5)],
  ['looks at many things, and at last buys one', browse(12).concat(BUYS.slice(3))],
  [
    'only looks',
    [HOME, page('/shoes'), page('/shoes/:id'), page('/hats'), page('/hats/:id'), page('/bags')]
  ],
  ['the same backwards', BUYS.toReversed()],
  [
    'another visit that begins at home',
    [HOME, page('/jobs'), page('/jobs/:id'), 'applied', page('/jobs/done')]
  ],
  [
    'nothing in common but clicks',
    [page('/docs'), CLICK, page('/docs/api'), CLICK, page('/docs/sdk')]
  ]
]

/** Returns the steps from home through `count` aisles to a pair of shoes. */
function browse(count: number): string[] {
  return [HOME, ...Array.from({ length: count }, (_, i) => page(`/aisle-${i}`)), page('/shoes/:id')]
}

describe('the similarity of two sessions', () => {
  it('ranks twelve pairs as a person would', () => {
    const measured = RANKED.map(([why, steps]) => ({
      why,
      similarity: compareSteps(BUYS, steps).similarity
    }))
    const sorted = measured.toSorted((a, b) => b.similarity - a.similarity)

    expect(sorted.map(({ why }) => why)).toEqual(RANKED.map(([why]) => why))
    expect(new Set(measured.map(({ similarity }) => similarity)).size).toBe(RANKED.length)
  })

  it('shows the steps in common, in their order', () => {
    expect(compareSteps(BUYS, ['bought', HOME, 'added to cart', page('/x'), PAY])).toMatchObject({
      shared: [HOME, 'added to cart', PAY]
    })
  })

  it('is 1 for equal sessions and 0 for sessions with nothing in common', () => {
    expect(compareSteps(BUYS, [...BUYS])).toEqual({ similarity: 1, shared: BUYS })
    expect(compareSteps(BUYS, [page('/docs')])).toEqual({ similarity: 0, shared: [] })
    expect(compareSteps([], [])).toEqual({ similarity: 0, shared: [] })
  })

  it('is symmetric, and always from 0 to 1', () => {
    const steps = fc.array(
      fc.constantFrom('a', 'b', 'c', page('/a'), page('/b'), CLICK, '$identify'),
      {
        maxLength: 12
      }
    )
    fc.assert(
      fc.property(steps, steps, (a, b) => {
        const [there, back] = [compareSteps(a, b).similarity, compareSteps(b, a).similarity]
        expect(there).toBeCloseTo(back, 12)
        expect(there).toBeGreaterThanOrEqual(0)
        expect(there).toBeLessThanOrEqual(1)
      }),
      deep(100)
    )
  })
})

describe('the steps of a session', () => {
  const at = (name: string, properties = {}) => ({ name, properties })
  const stepsOf = (events: ReturnType<typeof at>[]) => joinSteps(events.map(stepOf))
  const view = (path: string) => at('$pageview', { $current_url: `https://shop.example${path}` })

  it.each([
    ['/', '/'],
    ['/shoes/', '/shoes'],
    ['/shoes/123?color=red#top', '/shoes/:id'],
    ['/users/0198a0f0-0000-7000-8000-000000000001/edit', '/users/:id/edit'],
    ['/commit/9fceb02d0ae598e95dc970b74767f19372d61af8', '/commit/:id'],
    ['/mail/ada@example.com', '/mail/:id'],
    ['/mail/ada%40example.com', '/mail/:id'],
    ['/session/AbCdEfGhIjKlMnOpQr12', '/session/:id'],
    ['/blog/how-to-measure-2-things', '/blog/how-to-measure-2-things'],
    ['/v2/api', '/v2/api']
  ])('normalise the path %s', (path, normal) => {
    expect(stepsOf([view(path)])).toEqual([`$pageview ${normal}`])
  })

  it('are the names of events, without automatic events and immediate repetitions', () => {
    const events = [
      view('/a'),
      at('$web_vitals'),
      view('/a?x=1'),
      at('$autocapture', { $event_type: 'click' }),
      at('$autocapture', { $event_type: 'click' }),
      at('$autocapture', { $event_type: 'submit' }),
      at('$pageleave'),
      at('signed up'),
      at('$screen', { $screen_name: 'Home' }),
      view('/a'),
      at('$pageview')
    ]

    expect(stepsOf(events)).toEqual([
      '$pageview /a',
      '$autocapture click',
      '$autocapture submit',
      'signed up',
      '$screen Home',
      '$pageview /a',
      '$pageview'
    ])
  })

  it('are at most 200', () => {
    const events = Array.from({ length: 500 }, (_, i) => at(`event ${i % 7}`))

    expect(stepsOf(events)).toHaveLength(200)
  })
})

describe('the shingles of a session', () => {
  const LONG = ['$pageview /a', '$autocapture click', '$pageview /b', 'bought', '$pageview /c']

  it('are the pairs of consecutive distinctive steps with the lowest hashes', () => {
    const all = shinglesOf(LONG)

    expect(all).toHaveLength(3)
    expect(all).toEqual(
      [...shinglesOf(['$pageview /a', '$pageview /b']), ...shinglesOf(LONG.slice(2))].sort(
        (a, b) => a - b
      )
    )
    expect(shinglesOf(LONG, 2)).toEqual(all.slice(0, 2))
  })

  it('include pairs of steps further apart, up to the requested reach', () => {
    const later = shinglesOf(['$pageview /a', 'bought'])

    expect(shinglesOf(LONG, 10, 1)).not.toEqual(expect.arrayContaining(later))
    expect(shinglesOf(LONG, 10, 2)).toEqual(expect.arrayContaining(later))
    expect(shinglesOf(LONG, 10, 3)).toHaveLength(6)
  })
})
