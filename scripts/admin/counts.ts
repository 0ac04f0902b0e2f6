import { newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { verifyCounts } from '../../src/rollups/verify.ts'
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
        const found = await verifyCounts(openDb(databaseOf(env, database), newUsage()).db)
        if (found.wrong > 0) process.exitCode = 1
        verified.push({ database, ...found })
      }
      return { verified }
    }
  })
}
