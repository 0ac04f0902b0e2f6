import type { JsonObject } from '../../src/input/json.ts'
import type { TestEvent, TestProject } from './project.ts'

/** A person as shown in the list. */
export type ListedPerson = {
  id: number
  uuid: string
  name: string
  distinct_ids: string[]
  properties: JsonObject
}

/** The list of a project without persons. */
export const NOBODY = { count: 0, next: null, previous: null, results: [] }

/** Returns an event that creates a person on this day of November 2024. */
export const person = (
  day: number,
  distinctId: string,
  properties: JsonObject = {}
): TestEvent => ({
  event: '$set',
  distinct_id: distinctId,
  timestamp: Date.UTC(2024, 10, day),
  properties: { $set: properties }
})

/** Returns events for p1 … pn, each created a day after the previous one. */
export const people = (count: number) =>
  Array.from({ length: count }, (_, i) => person(i + 1, `p${i + 1}`))

/** Returns the first distinct id of each person on a page. */
export const distinctIds = (body: { results: ListedPerson[] }) =>
  body.results.map((listed) => listed.distinct_ids[0])

/** Requests the list with this query. */
export const list = (project: TestProject, query: string) => project.call('GET', `persons?${query}`)

/** Requests the page behind another page's link. */
export const follow = (project: TestProject, url: string) =>
  project.call('GET', `persons${new URL(url).search}`)

/** Follows `next` to the last page. `between` runs before each further page, with the number of pages so far. */
export async function walk(
  project: TestProject,
  query: string,
  between: (page: number) => Promise<unknown> = async () => {}
) {
  const pages = []
  let { body } = await list(project, query)
  pages.push(body)
  while (body.next) {
    if (pages.length === 50) {
      throw new Error('After 50 pages, `next` still leads to another one.')
    }
    await between(pages.length)
    body = (await follow(project, body.next)).body
    pages.push(body)
  }
  return pages
}
