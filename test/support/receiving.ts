import type { TestProject } from 'vitest/node'
import { startModel } from './model.ts'
import { startReceiver } from './receiver.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the receiver in `receiver.ts`, for tests in workerd. */
    receiver: { host: string; url: string }
    /** Address of the model in `model.ts`. */
    model: { host: string; url: string }
  }
}

export default async function startReceiving({ provide }: TestProject) {
  const services = { receiver: await startReceiver(), model: await startModel() }
  for (const name of ['receiver', 'model'] as const) {
    const { host, url } = services[name]
    provide(name, { host, url })
  }
  return () => {
    for (const service of Object.values(services)) {
      service.close()
    }
  }
}
