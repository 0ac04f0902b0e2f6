import { countWrong, verifyColumns } from '../../src/columns/verify.ts'
import { newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { verifyCounts } from '../../src/rollups/verify.ts'
import { verifySessions } from '../../src/sessions/upkeep/verify.ts'
import { command, Nothing } from './command.ts'

/** Largest number of segments, and of chunks of each kind, to compare: in effect all, since 10 GB hold a few thousand. */
const MAX_COLUMNS = 1_000_000

export const counts = {
  verify: command({
    script: 'verify',
    isLongRunning: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run({ env, databases }) {
      const verified = []
      for (const database of databases) {
        const { db } = openDb(databaseOf(env, database), newUsage())
        const eventCounts = await verifyCounts(db)
        const sessions = await verifySessions(db, Number.POSITIVE_INFINITY)
        const columns = await verifyColumns(db, MAX_COLUMNS)
        if (eventCounts.wrong + sessions.wrong + countWrong(columns) > 0) {
          process.exitCode = 1
        }
        verified.push({ database, ...eventCounts, sessions, columns })
      }
      return { verified }
    }
  })
}
