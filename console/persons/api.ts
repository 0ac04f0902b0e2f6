/** A person in the answers of the API. */
export type Person = {
  id: number
  uuid: string
  name: string
  distinct_ids: string[]
  distinct_ids_truncated?: true
  properties: Record<string, unknown>
  created_at: string
}

export type PersonList = { count: number; next: string | null; results: Person[] }

/** What a person's names are read from. */
type Named = Pick<Person, 'name' | 'distinct_ids' | 'properties'>

const textIn = (person: Pick<Named, 'properties'>, name: string): string | undefined => {
  const value = person.properties[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The person's own name, if one is known: not an id. */
export const knownName = (person: Pick<Named, 'properties'>): string | undefined =>
  textIn(person, 'name') ?? textIn(person, 'email') ?? textIn(person, 'username')

/** The name to show, and a second line that says more. */
export function titleOf(person: Named): { title: string; more: string | undefined } {
  const title = knownName(person) ?? person.name
  const more = [textIn(person, 'email'), person.distinct_ids[0]].find(
    (text) => text !== undefined && text !== title
  )
  return { title, more }
}

export const countryOf = (person: Named): string | undefined =>
  textIn(person, '$geoip_country_name') ?? textIn(person, 'country')
