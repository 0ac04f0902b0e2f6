import type { TestProject } from 'vitest/node'
import { launchService, newStateDir } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A service for all tests that need no state of their own: each makes itself a project in it. */
    service: { url: string; stateDir: string }
  }
}

export default async function startShared({ provide }: TestProject) {
  const stateDir = newStateDir()
  const { ready, stop } = launchService(stateDir)
  const { url } = await ready
  provide('service', { url, stateDir })
  return () => stop('SIGTERM')
}
