import type * as z from 'zod'
import { AppError } from '../errors.ts'
import { parseInput } from '../input/parse.ts'
import { LegacyFilter } from './fields.ts'
import { NODE_PATHS, type SentNode, toLegacyPath, toNode } from './node-paths.ts'
import { unsupported } from './property.ts'

/** The fields of a filter object that decide what kind of question it is, and its series. */
type LegacyFields = Pick<
  z.output<typeof LegacyFilter>,
  'insight' | 'shown_as' | 'actions' | 'events'
>

/** How a kind of question is written as a filter object. */
export type LegacyForm<Fields extends LegacyFields = LegacyFields> = {
  /** The kind of the node that it becomes. */
  kind: string
  /** Values of the field `insight` besides none. */
  insights: readonly string[]
  /** The value of the field `shown_as` besides none. */
  shownAs: string
  fields: z.ZodType<Fields>
  /**
   * Returns a filter object with the fields that follow from others.
   * @throws errors of input, attr the path that `pathOf` returns for a field
   */
  complete?(filter: Fields, pathOf: (name: string) => string): LegacyFields
  /** Where the node has the fields, by their names: see `NODE_PATHS`. */
  paths: Readonly<Record<string, string>>
}

const TREND: LegacyForm = {
  kind: 'TrendsQuery',
  insights: ['TRENDS'],
  shownAs: 'Volume',
  fields: LegacyFilter,
  paths: NODE_PATHS
}

/** @throws invalid_input, attr the field, for a value that only other insights have */
function expectForm(
  filter: LegacyFields,
  { insights, shownAs }: LegacyForm,
  pathOf: (name: string) => string
): void {
  if (filter.insight && !insights.includes(filter.insight)) {
    throw unsupported('insight', filter.insight, pathOf('insight'))
  }
  if (filter.shown_as && filter.shown_as !== shownAs) {
    throw unsupported('form of an insight', filter.shown_as, pathOf('shown_as'))
  }
  if (filter.actions && filter.actions.length > 0) {
    throw new AppError(
      'invalid_input',
      'Actions are not supported: only events are.',
      pathOf('actions')
    )
  }
  for (const [i, { type }] of (filter.events ?? []).entries()) {
    if (type && type !== 'events') {
      throw unsupported('type of series', type, pathOf(`events__${i}__type`))
    }
  }
}

/**
 * Turns a filter object into a node.
 * @param path where the request has the filter
 * @param ignoredFields receives the names of the fields that have no effect
 * @param form that of a trend by default
 */
export function readLegacyForm(
  input: Record<string, unknown>,
  path: readonly string[],
  ignoredFields: string[],
  form = TREND
): SentNode {
  const inFilter = (name: string) => [...path, name].filter(Boolean).join('__')
  const sent = parseInput(form.fields, input, path, ignoredFields)
  expectForm(sent, form, inFilter)
  const filter = form.complete?.(sent, inFilter) ?? sent
  const events = inOrder(filter.events ?? [])
  const series = events.map(({ event: { id, type: _, order: __, ...rest } }) => ({
    kind: 'EventsNode',
    event: id,
    ...rest
  }))
  const places = events.map(({ place }) => place)
  return {
    node: toNode(form, { ...filter, ...(filter.events && { events: series }) }),
    orders: events.map(({ event: { order }, place }) => order ?? place),
    pathOf: (nodePath) => inFilter(toLegacyPath(form, nodePath, places))
  }
}

/** Sorts events by `order` if all have one; `place` is the place of an event in the request. */
function inOrder<Event extends { order?: number | null | undefined }>(
  events: readonly Event[]
): { event: Event; place: number }[] {
  const placed = events.map((event, place) => ({ event, place }))
  const isOrdered = events.every(({ order }) => typeof order === 'number')
  return isOrdered ? placed.sort((a, b) => (a.event.order ?? 0) - (b.event.order ?? 0)) : placed
}
