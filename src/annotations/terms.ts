import { parseIso } from '../calendar/clock.ts'
import type { ANNOTATION_SCOPES, CREATION_TYPES } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'
import type { AnnotationInput } from './schemas.ts'

/** What users write of an annotation. */
export type AnnotationTerms = {
  content: string | null
  dateMarker: number | null
  scope: (typeof ANNOTATION_SCOPES)[number]
  insightId: number | null
  dashboardId: number | null
  creationType: (typeof CREATION_TYPES)[number]
  isEmoji: boolean
  deleted: boolean
}

export const NEW_ANNOTATION: AnnotationTerms = {
  content: null,
  dateMarker: null,
  scope: 'dashboard_item',
  insightId: null,
  dashboardId: null,
  creationType: 'USR',
  isEmoji: false,
  deleted: false
}

/** Matches one emoji, however many code points it is made of. */
const EMOJI = /^\p{RGI_Emoji}$/v

/**
 * Applies the changes of a request to an annotation. A date without an offset is on the clock of
 * the time zone.
 * @throws invalid_input for a date that is none, and for a text that is not one emoji if it has to
 * be; required, attr `dashboard_item` or `dashboard_id`, if the scope needs it
 */
export function changeAnnotation(
  before: AnnotationTerms,
  input: AnnotationInput,
  timezone: string
): AnnotationTerms {
  const terms: AnnotationTerms = {
    content: given(input.content, before.content),
    dateMarker:
      typeof input.date_marker === 'string'
        ? readMarker(input.date_marker, timezone)
        : given(input.date_marker, before.dateMarker),
    scope: input.scope ?? before.scope,
    insightId: given(input.dashboard_item, before.insightId),
    dashboardId: given(input.dashboard_id, before.dashboardId),
    creationType: input.creation_type ?? before.creationType,
    isEmoji: input.is_emoji ?? before.isEmoji,
    deleted: input.deleted ?? before.deleted
  }
  if (terms.isEmoji && !EMOJI.test(terms.content ?? '')) {
    throw new AppError(
      'invalid_input',
      'The text must be a single emoji, because `is_emoji` is true.',
      'content'
    )
  }
  if (terms.scope === 'dashboard_item' && terms.insightId === null) {
    throw missing('dashboard_item', 'insight')
  }
  if (terms.scope === 'dashboard' && terms.dashboardId === null) {
    throw missing('dashboard_id', 'dashboard')
  }
  return terms
}

const given = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value)

function readMarker(text: string, timezone: string): number {
  const time = parseIso(text, timezone)
  if (time === undefined) {
    throw new AppError(
      'invalid_input',
      `\`date_marker\` must be an ISO 8601 date-time such as \`2026-03-02T09:00:00Z\`; got ${show(text)}.`,
      'date_marker'
    )
  }
  return Math.floor(time)
}

const missing = (attr: string, noun: string) =>
  new AppError(
    'required',
    `This field is required: it names the ${noun} of the annotation. For an annotation on all insights, send \`scope\` as \`project\`.`,
    attr
  )
