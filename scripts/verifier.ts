import { writeFileSync } from 'node:fs'
import { bundleVerifier, VERIFIER } from './receipt/bundle.ts'
import { readCommandLine } from './usage.ts'

readCommandLine('npm run verifier\n\nWrites scripts/verify-receipt.mjs, which verifies receipts.', {
  options: {}
})

writeFileSync(VERIFIER, await bundleVerifier())
