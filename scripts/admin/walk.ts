import { checkNamed } from '../../src/erasures/replay/named.ts'
import { listApplied } from '../../src/ledger/store.ts'
import { type Fault, walkLedger } from '../../src/ledger/walk.ts'
import type { Service } from '../local.ts'
import { showProgress } from './progress.ts'

/** Checks the whole ledger, up to the first fault. `/readyz` shows the fault from now on, or no longer shows one. */
export async function walkWhole(
  service: Service
): Promise<{ entries: number; fault: Fault | null }> {
  const { entries, fault } = await walkLedger(await service.bucket(), {
    checkNamed,
    applied: await listApplied(service.env, service.databases),
    most: Number.POSITIVE_INFINITY,
    isWhole: true,
    onProgress: (seq) => showProgress(`ledger: ${seq} entries`)
  })
  showProgress('')
  return { entries, fault }
}
