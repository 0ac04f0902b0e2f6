import { verifyCounts } from '../../src/columns/slots/verify.ts'
import { countWrong, verifyColumns } from '../../src/columns/verify.ts'
import { newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { verifyBucket } from '../../src/service/objects/verify.ts'
import { verifySessions } from '../../src/sessions/upkeep/verify.ts'
import { command, Nothing } from './command.ts'
import { showProgress } from './progress.ts'
import { walkWhole } from './walk.ts'

/** Largest number of segments, and of chunks of each kind, to compare: in effect all, since 10 GB hold a few thousand. */
const MAX_COLUMNS = 1_000_000

export const counts = {
  verify: command({
    script: 'verify',
    isLongRunning: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run(service, _, now) {
      const { env, databases } = service
      const verified = []
      for (const database of databases) {
        const { db } = openDb(databaseOf(env, database), newUsage())
        showProgress(`${database}: event counts`)
        const eventCounts = await verifyCounts(db)
        showProgress(`${database}: sessions`)
        const sessions = await verifySessions(db, Number.POSITIVE_INFINITY)
        showProgress(`${database}: columns`)
        const columns = await verifyColumns(db, MAX_COLUMNS)
        if (eventCounts.wrong + sessions.wrong + countWrong(columns) > 0) {
          process.exitCode = 1
        }
        verified.push({ database, ...eventCounts, sessions, columns })
      }
      const { fault, ...ledger } = await walkWhole(service)
      const bucket = await verifyBucket({
        bucket: await service.bucket(),
        env,
        databases,
        now,
        onProgress: showProgress
      })
      showProgress('')
      if (fault || bucket.wrong > 0) {
        process.exitCode = 1
      }
      return { verified, ledger: { ...ledger, fault: fault?.text ?? null }, bucket }
    }
  })
}
