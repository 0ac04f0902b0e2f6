import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** `unit`: rules in plain Node · `worker`: the app and its jobs in workerd on real D1, R2 and queues · `e2e`: over HTTP. */
export default defineConfig({
  test: {
    silent: 'passed-only',
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations('./migrations') } }
          }))
        ],
        test: {
          name: 'worker',
          include: ['test/{api,jobs}/**/*.test.ts'],
          setupFiles: ['./test/support/migrate.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000
        }
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false
        }
      }
    ]
  }
})
