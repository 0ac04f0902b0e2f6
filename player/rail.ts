import type { Moment, Pause } from './moments.ts'
import { find } from './page.ts'

/*
 * The drawing below the position's control: what has been played, times without activity, and marks for moments.
 */

/** Width of the drawing, in its own units; the page stretches it. */
const WIDTH = 1_000
/** Width of a mark, in the same units. */
const MARK = 2

const played = find<SVGRectElement>('played')
const pauses = find<SVGGElement>('pauses')
const marks = find<SVGGElement>('marks')

/** Draws the pauses and marks of a recording of this length, ms. */
export function drawRail(length: number, moments: Moment[], idle: Pause[]): void {
  const toUnits = (time: number): number => (length > 0 ? (time / length) * WIDTH : 0)
  pauses.replaceChildren(
    ...idle.map(({ from, until }) =>
      rect('idle', { x: toUnits(from), width: toUnits(until - from), y: 17, height: 4 })
    )
  )
  const places = new Map(
    moments.map((moment) => [`${moment.kind} ${Math.round(toUnits(moment.time) / MARK)}`, moment])
  )
  marks.replaceChildren(
    ...[...places.values()].map(({ kind, time }) => {
      const isTall = kind === 'page' || kind === 'error'
      const [y, height] = isTall ? [4, 10] : [8, 6]
      return rect(kind, { x: Math.min(toUnits(time), WIDTH - MARK), width: MARK, y, height })
    })
  )
}

export function drawPlayed(time: number, length: number): void {
  played.setAttribute('width', String(length > 0 ? (time / length) * WIDTH : 0))
}

function rect(kind: string, sizes: Record<string, number>): SVGRectElement {
  const drawn = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  drawn.setAttribute('class', kind)
  for (const [name, size] of Object.entries(sizes)) {
    drawn.setAttribute(name, String(Math.round(size * 100) / 100))
  }
  return drawn
}
