import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A module of the built worker. */
export type Module = { type: ModuleType; path: string; contents: Buffer }
type ModuleType = 'ESModule' | 'CompiledWasm' | 'Data'

const TYPES: Record<string, ModuleType> = {
  '.js': 'ESModule',
  '.mjs': 'ESModule',
  '.wasm': 'CompiledWasm',
  '.ttf': 'Data'
}

/** Reads the modules that wrangler built into a folder: the main module, and those that it imports. */
export const readModules = (folder: string): Module[] =>
  readdirSync(folder)
    .sort()
    .flatMap((path) => {
      const type = TYPES[extname(path)]
      return type ? [{ type, path, contents: readFileSync(join(folder, path)) }] : []
    })
