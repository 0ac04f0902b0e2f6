import type { TestProject } from 'vitest/node'
import { startReceiver } from './receiver.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Another service on this machine, for tests in workerd: see `receiver.ts`. */
    receiver: { host: string; url: string }
  }
}

export default async function startReceiving({ provide }: TestProject) {
  const { host, url, close } = await startReceiver()
  provide('receiver', { host, url })
  return close
}
