import { expect, it } from 'vitest'
import { Pages } from '../../../player/pages.ts'

const snapshot = (timestamp: number, type: number, data = {}) => ({
  timestamp,
  type,
  data,
  window: 'w'
})

it('begins with the first page, and puts its size in front of each page', () => {
  const pages = new Pages()
  const page = snapshot(50, 2)
  const size = { width: 300, height: 200 }

  expect(pages.prepare([snapshot(10, 5), snapshot(20, 4, size), snapshot(30, 3), page])).toEqual([
    snapshot(20, 4, { href: '', ...size }),
    page
  ])
  expect([pages.start, pages.opening]).toEqual([20, 31])
  const wide = { width: 400, height: 200 }
  expect(pages.prepare([snapshot(60, 4, wide), snapshot(70, 2)])).toEqual([
    snapshot(60, 3, { source: 4, ...wide }),
    snapshot(60, 4, { href: '', ...wide }),
    snapshot(70, 2)
  ])
})

it('gives a page without a size a usual one', () => {
  expect(new Pages().prepare([snapshot(1, 2)])[0]?.data).toEqual({
    href: '',
    width: 1280,
    height: 800
  })
})

it('does not begin with a size that was recorded long before', () => {
  const pages = new Pages()
  const size = { width: 300, height: 200 }

  expect(pages.prepare([snapshot(10, 4, size), snapshot(5_000, 2)])).toEqual([
    snapshot(5_000, 4, { href: '', ...size }),
    snapshot(5_000, 2)
  ])
  expect([pages.start, pages.opening]).toEqual([5_000, 1])
})
