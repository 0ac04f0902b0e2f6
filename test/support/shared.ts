import type { TestProject } from 'vitest/node'
import { type LocalService, launchService, newStateDir } from './processes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A service shared by all tests without special needs; each creates its own project. The first project is reserved for
     * test/e2e/erasures.
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
