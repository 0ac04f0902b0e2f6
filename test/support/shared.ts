import type { TestProject } from 'vitest/node'
import { type LocalService, launchService, newStateDir } from './processes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A service for all tests that need no state of their own: each makes itself a project in it. The project that
     * came with it is left to test/e2e/erasures.
     */
    service: Pick<LocalService, 'url' | 'projectId' | 'key'> & { stateDir: string }
  }
}

export default async function startShared({ provide }: TestProject) {
  const stateDir = newStateDir()
  const { ready, stop } = launchService(stateDir)
  const { url, projectId, key } = await ready
  provide('service', { url, projectId, key, stateDir })
  return () => stop('SIGTERM')
}
