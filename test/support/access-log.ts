import { env } from 'cloudflare:workers'
import type { AccessEntry } from '../../src/access-log/entry.ts'
import { deliverBatch, type TestProject } from './project.ts'

/** The queue of reads, which holds its messages until a test delivers them. */
export function holdReads() {
  const held: AccessEntry[] = []
  const queue = { send: async (body: AccessEntry) => void held.push(body) }
  const bindings = { ACCESS_QUEUE: queue as unknown as Queue }
  return {
    held,
    bindings,
    /** Sends a request with the project's key. */
    call: (project: TestProject, method: string, path: string, body?: object) =>
      project.send(method, path, body, bindings),
    /** Delivers messages as one batch. */
    deliver: (bodies: unknown[] = held.splice(0), more: Partial<Env> = {}) =>
      deliverBatch('edge-analytics-access', bodies, { bindings: more })
  }
}

/** Lists the keys of a project's objects with entries. */
export async function accessObjects(projectId: number): Promise<string[]> {
  const { objects } = await env.BUCKET.list({ prefix: `access-log/${projectId}/` })
  return objects.map(({ key }) => key)
}
