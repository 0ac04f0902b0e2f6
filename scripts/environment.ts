import { join, resolve } from 'node:path'

export const root = join(import.meta.dirname, '..')

/** The module that is loaded before every command. */
export const ENTRY = join(root, 'scripts/entry.js')

/** The default state folder, shared with `wrangler dev`. */
export const USUAL_DIR = join(root, '.wrangler/state')

/** The state folder: databases, bucket, development key and log of the local service. */
export const stateDir = resolve(process.env.STATE_DIR || USUAL_DIR)

export const configPath = join(root, 'wrangler.toml')

// The simulator and wrangler read these when they are loaded.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
process.env.WRANGLER_SEND_METRICS = 'false'
// Local observability would store the URLs of all requests, including e-mail addresses in queries.
process.env.X_LOCAL_OBSERVABILITY = 'false'
process.env.WRANGLER_HIDE_BANNER = 'true'
// Local services find each other's queues through this registry. Each state folder has its own, so that services on
// different folders stay apart.
process.env.WRANGLER_REGISTRY_PATH = join(stateDir, 'registry')
