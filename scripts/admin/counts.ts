import { newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { verifyCounts } from '../../src/rollups/verify.ts'
import { verifySessions } from '../../src/sessions/upkeep/verify.ts'
import { command, Nothing } from './command.ts'

export const counts = {
  verify: command({
    script: 'verify',
    isLong: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run({ env, databases }) {
      const verified = []
      for (const database of databases) {
        const { db } = openDb(databaseOf(env, database), newUsage())
        const [eventCounts, sessions] = [
          await verifyCounts(db),
          await verifySessions(db, Number.POSITIVE_INFINITY)
        ]
        if (eventCounts.wrong + sessions.wrong > 0) {
          process.exitCode = 1
        }
        verified.push({ database, ...eventCounts, sessions })
      }
      return { verified }
    }
  })
}
