import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { PACKAGES } from './test/support/packages.ts'
import { quickConsumers } from './test/support/queues.ts'
import { useTemporaryFolder } from './test/support/temporary.ts'

useTemporaryFolder()

const SECRETS = {
  RECEIPT_SECRET: 'a secret of the tests, long enough',
  RECEIPT_KEY: 'a key of the tests, which is long enough'
}
// Wrangler warns of required secrets that it does not find.
Object.assign(process.env, SECRETS)

// Tests deploy without the settings of the deployment that a clone may belong to.
process.env.DEPLOYMENT = ''

// Tests need no certificates, because they call only servers on this machine. Reading them would delay each start of the
// Workers runtime by a tenth of a second.
delete process.env.NODE_EXTRA_CA_CERTS

/**
 * Reads how deep random tests go, and their seed. By default, each test makes a tenth of its runs, with a fixed seed.
 * FULL_DEPTH=random makes all runs with a new seed, which is printed; FULL_DEPTH=<seed> repeats them. TIMES multiplies the
 * number of runs.
 */
function readDepth() {
  if (process.env.FULL_DEPTH === 'random') {
    // Each project reads this file again, and has to find the same seed.
    process.env.FULL_DEPTH = String(Date.now() % 2 ** 31)
    console.log(
      `To repeat the random tests of this run: FULL_DEPTH=${process.env.FULL_DEPTH} npm test`
    )
  }
  const { FULL_DEPTH } = process.env
  const times = Number(process.env.TIMES ?? 1)
  if (!(times > 0)) {
    throw new Error(`TIMES must be a number above 0; got "${process.env.TIMES}".`)
  }
  if (!FULL_DEPTH) {
    return { share: 0.1, times, seed: 1 }
  }
  if (!/^\d{1,10}$/.test(FULL_DEPTH)) {
    throw new Error(
      `FULL_DEPTH must be "random" or the seed of an earlier run; got "${FULL_DEPTH}".`
    )
  }
  return { share: 1, times, seed: Number(FULL_DEPTH) }
}

/** Cores to use: at most four. */
const CORES = Math.min(4, availableParallelism())

const shared = {
  provide: { depth: readDepth() },
  // Number of files that run at the same time: one more than `CORES`, because tests also wait.
  maxWorkers: CORES + 1,
  // Each worker loads the code once, not once for each file.
  isolate: false
}

/**
 * Runs tests in workerd, with the bindings of wrangler.toml.
 * @param requests requests per minute of a key
 * @param modelRequests the same for requests that may use the AI helpers' model
 */
const inWorkerd = (requests: number, modelRequests = requests) =>
  cloudflareTest(async () => {
    const simple = { limit: requests, period: 60 as const }
    return {
      main: './test/support/worker.ts',
      wrangler: { configPath: './wrangler.toml' },
      // Otherwise a binding that exists only on Cloudflare, such as Workers AI, would need an account.
      remoteBindings: false,
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations('./migrations'),
          // These replace the secrets of `.dev.vars`, which a developer may have.
          ...SECRETS,
          // Otherwise `/readyz` would repeat what it has found before a test.
          HEALTH_SECONDS: '0'
        },
        // A second database, as in a deployment that has outgrown its first.
        d1Databases: { DB_TWO: 'two' },
        queueConsumers: quickConsumers(),
        ratelimits: {
          ANALYTICS_RATE: { namespace_id: '1001', simple },
          CRUD_RATE: { namespace_id: '1002', simple },
          AI_RATE: { namespace_id: '1003', simple: { ...simple, limit: modelRequests } }
        }
      }
    }
  })

/**
 * `unit`: rules in plain Node · `worker`: the app and its jobs in workerd on real D1, R2 and queues · `throttled`: the app,
 * limited to a few requests per minute and key · `e2e`: the running service and its commands.
 */
export default defineConfig({
  test: {
    silent: 'passed-only',
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          sequence: { groupOrder: 2 },
          include: ['test/unit/**/*.test.ts'],
          setupFiles: ['./test/support/random.ts'],
          testTimeout: 180_000
        }
      },
      {
        plugins: [inWorkerd(1_000_000)],
        test: {
          ...shared,
          name: 'worker',
          sequence: { groupOrder: 2 },
          // With this cache, every test file sends all modules to workerd again. Without it, they are transformed and sent once per run.
          fsModuleCache: false,
          // Each package is sent to workerd as one module.
          deps: { optimizer: { ssr: { enabled: true, include: PACKAGES } } },
          include: ['test/{api,jobs}/**/*.test.ts'],
          globalSetup: './test/support/receiving.ts',
          setupFiles: [
            './test/support/console.ts',
            './test/support/limits.ts',
            './test/support/loaded.ts',
            './test/support/migrate.ts',
            './test/support/random.ts'
          ],
          testTimeout: 180_000,
          hookTimeout: 180_000
        }
      },
      {
        plugins: [inWorkerd(3, 1)],
        test: {
          ...shared,
          name: 'throttled',
          sequence: { groupOrder: 2 },
          include: ['test/throttled/**/*.test.ts'],
          setupFiles: [
            './test/support/console.ts',
            './test/support/limits.ts',
            './test/support/loaded.ts',
            './test/support/migrate.ts'
          ],
          testTimeout: 180_000,
          hookTimeout: 180_000
        }
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          // More at the same time, because these tests mostly wait. They come first, because each takes long.
          maxWorkers: CORES + 3,
          sequence: { groupOrder: 1 },
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: './test/support/shared.ts',
          setupFiles: ['./test/support/random.ts'],
          // All commands that the tests start load the same code.
          env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
          // Only for tests that hang: at full depth, the longest test takes four minutes on two cores.
          testTimeout: 900_000,
          hookTimeout: 900_000
        }
      }
    ]
  }
})
