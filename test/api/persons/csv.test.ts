import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import worker from '../../../src/worker.ts'
import { aroundCalls } from '../../support/faults.ts'
import { BASE, newProject } from '../../support/project.ts'
import { seedPersons } from '../../support/seed.ts'

it('CSV of many persons is read from the database no faster than the client takes it', async () => {
  const project = await newProject()
  await seedPersons(project.id, {
    count: 22_000,
    email: "'p' || n || '@example.com'",
    firstId: 5_000_000
  })
  let calls = 0
  const DB = aroundCalls(env.DB, (run) => {
    calls += 1
    return run()
  })
  const headers = { Authorization: `Bearer ${project.key}` }
  const asked = new Request(`${BASE}/api/environments/${project.id}/persons/?format=csv`, {
    headers
  })
  const response = await worker.fetch(asked, { ...env, DB }, createExecutionContext())
  const toFindTheColumns = calls
  const reader = response.body?.getReader()

  let rows = 0
  const callsAtEachChunk: number[] = []
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    callsAtEachChunk.push(calls - toFindTheColumns)
    rows += new TextDecoder().decode(chunk.value).split('\r\n').length - 1
  }

  expect(rows).toBe(22_001)
  // The header, four pages of 5,000 and one of 2,000: at most one page is read ahead of what the client has taken.
  expect(callsAtEachChunk).toHaveLength(6)
  callsAtEachChunk.forEach((read, taken) => {
    expect(read).toBeLessThanOrEqual(taken + 1)
  })
})

it('CSV that the client gives up is not read to its end', async () => {
  const project = await newProject()
  await seedPersons(project.id, {
    count: 11_000,
    email: "'p' || n || '@example.com'",
    firstId: 6_000_000
  })
  let calls = 0
  const DB = aroundCalls(env.DB, (run) => {
    calls += 1
    return run()
  })
  const headers = { Authorization: `Bearer ${project.key}` }
  const asked = new Request(`${BASE}/api/environments/${project.id}/persons/?format=csv`, {
    headers
  })
  const response = await worker.fetch(asked, { ...env, DB }, createExecutionContext())
  const before = calls
  await response.body?.cancel()

  expect(calls - before).toBeLessThanOrEqual(1)
})
