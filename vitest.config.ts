import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

// Wrangler takes the secrets that wrangler.toml requires from here.
process.env.RECEIPT_SECRET = 'a secret of the tests'

/** The app in workerd, on the bindings of wrangler.toml, a key's requests a minute, and those to a model, limited as given. */
const inWorkerd = (requests: number, asks = requests) =>
  cloudflareTest(async () => {
    const simple = { limit: requests, period: 60 as const }
    return {
      wrangler: { configPath: './wrangler.toml' },
      // A binding that only Cloudflare has, such as Workers AI, is no reason to ask for an account.
      remoteBindings: false,
      miniflare: {
        bindings: { TEST_MIGRATIONS: await readD1Migrations('./migrations') },
        // A second database, as a deployment that has outgrown one would bind it.
        d1Databases: { DB_TWO: 'two' },
        ratelimits: {
          ANALYTICS_RATE: { namespace_id: '1001', simple },
          CRUD_RATE: { namespace_id: '1002', simple },
          AI_RATE: { namespace_id: '1003', simple: { ...simple, limit: asks } }
        }
      }
    }
  })

/** Files at a time, also on a machine of two cores: much of a test is waiting. */
const WORKERS = 2

/** `unit`: rules in plain Node · `worker`: the app and its jobs in workerd on real D1, R2 and queues · `e2e`: over HTTP. */
export default defineConfig({
  test: {
    silent: 'passed-only',
    projects: [
      {
        // The generator of API clients needs the programming interface that TypeScript had up to version 5.
        resolve: {
          alias: { typescript: new URL('./test/support/typescript.ts', import.meta.url).pathname }
        },
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          maxWorkers: WORKERS,
          server: { deps: { inline: ['openapi-typescript'] } }
        }
      },
      {
        plugins: [inWorkerd(1_000_000)],
        test: {
          name: 'worker',
          include: ['test/{api,jobs}/**/*.test.ts'],
          globalSetup: './test/support/receiving.ts',
          setupFiles: ['./test/support/migrate.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: WORKERS
        }
      },
      {
        plugins: [inWorkerd(3, 1)],
        test: {
          name: 'throttled',
          include: ['test/throttled/**/*.test.ts'],
          setupFiles: ['./test/support/migrate.ts'],
          maxWorkers: WORKERS
        }
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: './test/support/shared.ts',
          // Each command that the tests start loads the same code.
          env: { NODE_COMPILE_CACHE: join(tmpdir(), 'edge-analytics-compile-cache') },
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
