import { toIso } from '../../calendar/clock.ts'
import { encodeCursor } from '../../http/page.ts'
import type { Mentions } from './search.ts'

/** Returns what was found as an answer has it. */
export const mentionsToJson = ({ texts, stores, last }: Mentions) => ({
  texts,
  stores,
  searched_until: last ? toIso(last.at) : null,
  cursor: last ? encodeCursor(last, 0) : null
})
