import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../environment.ts'

/** The script with which a stranger verifies receipts: one file, without this repository. */
export const VERIFIER = join(root, 'scripts/verify-receipt.mjs')

const HEAD = `/*
 * Verifies receipts of deletions from files alone, on any machine with Node 20 or newer:
 *
 *   node verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id DISTINCT_ID]
 *
 * receipt.json is a receipt as GET receipts/{id}/ returns it, and receipt-keys.json is /.well-known/receipt-keys.json of
 * the service that signed it. ledger.json is the output of npm run ledger: it has the keys too, so receipt-keys.json is
 * optional.
 *
 * \`npm run verifier\` makes this file of the code that the service and the console run, too.
 */
`

/** Bundles the script. Nothing is minified: people read it before they trust it. */
export async function bundleVerifier(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['scripts/receipt/verify.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    logLevel: 'warning'
  })
  return `${HEAD}${outputFiles[0]?.text}`
}
