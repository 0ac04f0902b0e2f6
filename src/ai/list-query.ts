import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { Json } from '../input/json.ts'
import { readRecordingFilters, type Settings } from '../recordings/list/query.ts'
import { FiltersQuery } from '../recordings/list/schemas.ts'
import type { ListFilters } from './filters.ts'

export type Project = Settings

const isEmpty = ({ filter_group }: ListFilters): boolean =>
  filter_group.values.every((node) => 'values' in node && node.values.length === 0)

/** Returns filters as parameters of the list of recordings; leaves out empty filters. */
function parametersOf(filters: ListFilters, personUuid: string): Record<string, string> {
  const { date_from, date_to, distinct_ids } = filters
  const all = {
    date_from,
    date_to,
    person_uuid: personUuid,
    distinct_ids: distinct_ids.length > 0 ? JSON.stringify(distinct_ids) : '',
    properties: isEmpty(filters) ? '' : JSON.stringify(filters.filter_group)
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** Returns filters as a query string of the list of recordings. */
export const toQuery = (filters: ListFilters, personUuid: string): string =>
  new URLSearchParams(parametersOf(filters, personUuid)).toString()

/** Returns the error with which the list of recordings would refuse filters, or undefined if it accepts them. */
export function refusalOf(filters: ListFilters, project: Project, now: Date): string | undefined {
  try {
    const { properties: _, ...parameters } = parametersOf(filters, '')
    // The cast is safe: a `GroupJson` is always JSON, but its type is narrower.
    readRecordingFilters(FiltersQuery.parse(parameters), filters.filter_group as Json, project, now)
    return undefined
  } catch (error) {
    if (error instanceof AppError) {
      return error.message
    }
    if (error instanceof z.ZodError) {
      return z.prettifyError(error)
    }
    throw error
  }
}
