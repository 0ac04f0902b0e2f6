import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'

/*
 * Writes dist/client.ts: the types that an integrator's generator makes of docs/openapi.json. `npm run typecheck` runs it.
 */

// The generator needs the programming interface that TypeScript had up to version 5.
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
