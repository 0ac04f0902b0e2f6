import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Rows that are in the page beyond those in sight, at each end. */
const MARGIN = 30

/** The range moves by so many rows at once. */
const STEP = 10

/** Height of a row before one is measured, pixels. */
const ROW = 36

/** The rows of a long list that are in the page, and the heights of the others, pixels. */
export type Windowed<T extends HTMLElement> = {
  element: RefObject<T | null>
  from: number
  until: number
  above: number
  below: number
}

/**
 * Keeps only the rows in sight of a long list in the page. The rows are equally high, have the
 * attribute `data-line`, and are in `element`; the page scrolls.
 */
export function useWindow<T extends HTMLElement>(count: number): Windowed<T> {
  const element = useRef<T>(null)
  const shown = useSignal({ from: 0, until: 2 * MARGIN, row: ROW })
  useLayoutEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const list = element.current
      const row = list?.querySelector<HTMLElement>('[data-line]')?.offsetHeight || ROW
      const passed = -(list?.getBoundingClientRect().top ?? 0)
      const first = Math.floor(passed / row / STEP) * STEP - MARGIN
      const last = Math.ceil((passed + innerHeight) / row / STEP) * STEP + MARGIN
      const next = { from: Math.max(0, first), until: Math.max(2 * MARGIN, last), row }
      if (JSON.stringify(next) !== JSON.stringify(shown.value)) {
        shown.value = next
      }
    }
    const soon = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', soon, { passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', soon)
      removeEventListener('resize', soon)
    }
  }, [])
  const until = Math.min(count, shown.value.until)
  const from = Math.min(shown.value.from, Math.max(0, until - MARGIN))
  const { row } = shown.value
  return { element, from, until, above: from * row, below: (count - until) * row }
}
