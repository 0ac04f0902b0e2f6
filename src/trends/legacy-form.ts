import type * as z from 'zod'
import { AppError } from '../errors.ts'
import { parseInput } from '../input/parse.ts'
import { LegacyFilter } from './fields.ts'
import { type SentNode, toLegacyPath, toNode } from './node-paths.ts'
import { unsupported } from './property.ts'

type LegacyFields = z.infer<typeof LegacyFilter>

/** @throws invalid_input, attr the field, for a value that only other insights have */
function expectTrend(filter: LegacyFields, pathOf: (name: string) => string): void {
  if (filter.insight && filter.insight !== 'TRENDS') {
    throw unsupported('insight', filter.insight, pathOf('insight'))
  }
  if (filter.shown_as && filter.shown_as !== 'Volume') {
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
 * Turns a filter object into a `TrendsQuery` node.
 * @param path where the request has the filter
 * @param ignoredFields receives the names of the fields that have no effect
 */
export function readLegacyForm(
  input: Record<string, unknown>,
  path: readonly string[],
  ignoredFields: string[]
): SentNode {
  const filter = parseInput(LegacyFilter, input, path, ignoredFields)
  const inFilter = (name: string) => [...path, name].filter(Boolean).join('__')
  expectTrend(filter, inFilter)
  const events = inOrder(filter.events ?? [])
  const series = events.map(({ event: { id, type: _, order: __, ...rest } }) => ({
    kind: 'EventsNode',
    event: id,
    ...rest
  }))
  return {
    node: toNode({ ...filter, events: series }),
    orders: events.map(({ event: { order }, place }) => order ?? place),
    pathOf: (nodePath) =>
      inFilter(
        toLegacyPath(
          nodePath,
          events.map(({ place }) => place)
        )
      )
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
