import type { Rows, Sink } from '../../src/trends/maths/accumulator.ts'

/** Events in one piece of time: their actors, and their groups unless all are in group 0. */
export type Run = { point: number; actors: number[]; groups?: number[] }

/** Gives events to a sink. */
export function feed(sink: Sink, runs: readonly Run[]): void {
  for (const { point, actors, groups } of runs) {
    const rows: Rows = {
      groups: groups && Int32Array.from(groups),
      subjects: Int32Array.from(actors),
      actors: Int32Array.from(actors),
      numbers: { codes: new Uint8Array(), values: new Float64Array() }
    }
    sink.add(rows, 0, actors.length, { since: point, until: point + 1, point })
  }
}
