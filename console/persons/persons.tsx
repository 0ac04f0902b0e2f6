import { path } from '../address.ts'
import { PersonsPage } from './list.tsx'
import { PersonPage } from './person.tsx'

/** The list of persons, or the one in the address. */
export const Persons = () => (path.value[2] === undefined ? <PersonsPage /> : <PersonPage />)
