import { type DemoPerson, Person } from './person.ts'
import { type DemoEvent, type DemoOptions, Visitor } from './visitor.ts'

/** Visitors who never sign up, per person. */
const PASSERS_BY = 0.7

/**
 * Generates the history of a small SaaS for the `days` before `anchor`, sorted by time. The same options give the same
 * history. Changing the number of persons does not change any person.
 */
export function writeHistory(options: DemoOptions): { events: DemoEvent[]; people: DemoPerson[] } {
  const persons = Array.from({ length: options.persons }, (_, index) => new Person(options, index))
  const people = persons.map((person) => person.run())
  const passers = Array.from({ length: Math.ceil(options.persons * PASSERS_BY) }, (_, index) => {
    const visitor = new Visitor(options, `visitor ${index}`)
    visitor.passBy()
    return visitor
  })
  const events = [...persons, ...passers].flatMap((visitor) => visitor.events)
  return { people, events: events.sort((a, b) => a.timestamp.getTime() - b.timestamp.getTime()) }
}
