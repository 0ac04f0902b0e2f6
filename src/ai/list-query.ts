import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type ListSettings, readRecordingFilters } from '../recordings/list/query.ts'
import { FiltersQuery } from '../recordings/list/schemas.ts'
import type { ListFilters } from './filters.ts'
import type { GroupJson } from './schemas.ts'

const isEmptyGroup = ({ values }: GroupJson): boolean =>
  values.every((node) => 'values' in node && node.values.length === 0)

/**
 * Returns filters, except `filter_group`, as parameters of the list of recordings. Leaves out empty
 * filters, and the person if `personUuid` is empty.
 */
function parametersOf(filters: ListFilters, personUuid: string): Record<string, string> {
  const { date_from, date_to, distinct_ids } = filters
  const all = {
    date_from,
    date_to,
    person_uuid: personUuid,
    distinct_ids: distinct_ids.length > 0 ? JSON.stringify(distinct_ids) : ''
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** Returns filters as a query string. An empty `personUuid` stands for all persons. */
export function toQuery(filters: ListFilters, personUuid: string): string {
  const parameters = new URLSearchParams(parametersOf(filters, personUuid))
  if (!isEmptyGroup(filters.filter_group)) {
    parameters.set('properties', JSON.stringify(filters.filter_group))
  }
  return parameters.toString()
}

/** Returns the error with which the list of recordings would refuse filters, if any. */
export function refusalOf(
  filters: ListFilters,
  project: ListSettings,
  now: Date
): string | undefined {
  try {
    // The list accepts any person, so the check needs none.
    const query = FiltersQuery.parse(parametersOf(filters, ''))
    readRecordingFilters(query, filters.filter_group, project, now)
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
