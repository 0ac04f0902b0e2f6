import { z } from 'zod'
import { readRows } from '../../test/support/processes.ts'

const Counts = z.tuple([z.object({ found: z.int() })])

/** Counts the events with these uuids that a local service has stored. */
export function countStored(stateDir: string, uuids: string[]): number {
  const [{ found }] = Counts.parse(
    readRows(
      stateDir,
      `select count(*) as found from events where lower(hex(uuid)) in
       (select replace(value, '-', '') from json_each('${JSON.stringify(uuids)}'))`
    )
  )
  return found
}
