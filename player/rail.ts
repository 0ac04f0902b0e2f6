import type { Moment, Pause } from './moments.ts'
import { find } from './page.ts'

/** Width of the drawing, in its own units; the page stretches it. */
const WIDTH = 1_000
/** Marks that are closer are drawn as one, in the same units. */
const APART = 2

/** The kinds of moments with a taller mark. */
const TALL = new Set(['page', 'error', 'rage'])

/** The drawing below the position's control: what has been played, times without activity, and marks for moments. */
export class Rail {
  readonly #played = find<SVGRectElement>('played')
  readonly #pauses = find<SVGGElement>('pauses')
  readonly #marks = find<SVGGElement>('marks')

  /** Draws the pauses and marks of a recording of this length, ms. */
  draw(length: number, moments: Moment[], idle: Pause[]): void {
    const toUnits = (time: number): number => (length > 0 ? (time / length) * WIDTH : 0)
    this.#pauses.replaceChildren(
      ...idle.map(({ from, until }) =>
        draw('rect', { x: toUnits(from), width: toUnits(until - from), y: 17, height: 4 })
      )
    )
    const places = new Map(
      moments.map((moment) => [
        `${moment.kind} ${Math.round(toUnits(moment.time) / APART)}`,
        moment
      ])
    )
    this.#marks.replaceChildren(
      ...[...places.values()].map(({ kind, time }) => {
        const top = TALL.has(kind) ? 4 : 8
        const x = toUnits(time)
        return draw('line', { x1: x, x2: x, y1: top, y2: 14 }, kind)
      })
    )
  }

  /** Draws how much has been played, ms of this length. */
  drawPlayed(time: number, length: number): void {
    this.#played.setAttribute('width', String(length > 0 ? (time / length) * WIDTH : 0))
  }
}

function draw(name: string, sizes: Record<string, number>, kind = ''): SVGElement {
  const drawn = document.createElementNS('http://www.w3.org/2000/svg', name)
  drawn.setAttribute('class', kind)
  for (const [size, value] of Object.entries(sizes)) {
    drawn.setAttribute(size, String(Math.round(value * 100) / 100))
  }
  return drawn
}
