import type { Colors } from '../html/tokens.ts'
import type { Series } from './chart.ts'

/** The look of a drawing. */
export type Pen = {
  colors: Colors
  /** Font size of labels, pixels; other texts are a little larger. */
  size: number
  /**
   * Begins the ids of the drawing, which must differ from those of other drawings in the same page.
   */
  id: string
}

/** The colours of series, in the order in which they are given out. */
const SERIES = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8'] as const

/** Maximum number of series that are drawn: nobody could tell more apart. */
export const MAX_SERIES = SERIES.length

/** Returns the place of a series in the order of looks; all the others together have the last. */
export const lookOf = ({ isRest }: Series, index: number): number => (isRest ? MAX_SERIES : index)

/** Returns the colour of a look; after the eighth, the grey of all the others together. */
export const colorOf = ({ colors }: Pick<Pen, 'colors'>, index: number): string =>
  colors[SERIES[index] ?? 'axis']

/** Lines from the fifth on have a dash of their own. */
const DASHES = ['6 3', '2 3', '8 3 2 3', '4 2']

export const dashOf = (index: number): string | undefined => DASHES[index - 4]
