import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'

/*
 * Writes dist/client.ts: the types that a client generator makes from docs/openapi.json. `npm run typecheck` runs this.
 */

// The generator needs the API of TypeScript 5 or earlier.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier === 'typescript' ? new URL('./typescript.ts', import.meta.url).href : specifier,
      context
    )
})
const { astToString, default: openapiTS } = await import('openapi-typescript')

const root = join(import.meta.dirname, '../..')
const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
const types = astToString(await openapiTS(document))
mkdirSync(join(root, 'dist'), { recursive: true })
writeFileSync(join(root, 'dist/client.ts'), types)
