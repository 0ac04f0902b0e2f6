import { holdDatabase, releaseDatabase } from '../../src/access/hold.store.ts'
import { putSecrets } from '../deploy/secrets.ts'
import { OperatorError } from '../faults.ts'
import type { Service } from '../local.ts'
import { command, Nothing } from './command.ts'
import { stateOf } from './ledger.ts'

export const maintenance = {
  on: command({
    isLongRunning: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run({ db, databases }) {
      for (const database of databases) {
        await holdDatabase(db, database, 'maintenance')
      }
      return { maintenance: 'on' }
    },
    async runDeployed() {
      // A secret, because a row of the database would be lost when the database is restored.
      await putSecrets({ MAINTENANCE: 'on' })
      return { maintenance: 'on' }
    }
  }),

  off: command({
    isLongRunning: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run(service) {
      for (const database of service.databases) {
        await expectReplayed(service, database)
      }
      if (service.isDeployed) {
        await putSecrets({ MAINTENANCE: 'off' })
      }
      for (const database of service.databases) {
        await releaseDatabase(service.db, database, 'maintenance')
      }
      return { maintenance: 'off' }
    }
  })
}

/** @throws OperatorError when a restored database has not applied the ledger */
async function expectReplayed(service: Service, database: string): Promise<void> {
  if ((await stateOf(service, database)).isRestored) {
    throw new OperatorError(
      `The database ${database} was restored and is behind the ledger of erasures. Run npm run replay${service.isDeployed ? ' -- --remote' : ''} first.`
    )
  }
}
