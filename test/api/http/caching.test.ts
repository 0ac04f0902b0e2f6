import { describe, expect, it } from 'vitest'
import { newProject, request } from '../../support/project.ts'

describe('caches', () => {
  it.each([
    ['a list', 'persons'],
    ['a list as CSV', 'persons?format=csv'],
    ['an unknown person', 'persons/99999999'],
    ['the refusal of a request', 'persons?limit=x']
  ])('must not store %s', async (_, path) => {
    const project = await newProject()

    const { headers } = await project.call('GET', path)

    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Vary')).toContain('Accept, Authorization, Prefer')
  })

  it('must not store the answer to a request without a key', async () => {
    const { status, headers } = await request('GET', '/api/projects/1/persons')

    expect(status).toBe(401)
    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  it.each(['/livez', '/readyz', '/readyz/'])('must not store %s', async (path) => {
    const { headers } = await request('GET', path)

    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  it.each(['/unsubscribe/nope', '/charts/nope', '/nope', '/project/nope/replay/1'])(
    'must not store that %s is not found',
    async (path) => {
      const { status, headers } = await request('GET', path)

      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers.get('Cache-Control')).toBe('no-store')
    }
  )

  it('may store the configuration of SDKs', async () => {
    const project = await newProject()

    const { headers } = await request('GET', `/array/${project.token}/config`)

    expect(headers.get('Cache-Control')).toBe('public, max-age=300')
  })

  it('learn from its ETag that the reference has not changed', async () => {
    const first = await request('GET', '/openapi.json')
    const tag = first.headers.get('ETag') ?? ''

    expect(tag).toMatch(/^"[0-9a-f]{40}"$/)
    const again = await request('GET', '/openapi.json', { 'If-None-Match': tag })
    expect([again.status, again.text]).toEqual([304, ''])
    const other = await request('GET', '/openapi.json', { 'If-None-Match': '"other"' })
    expect(other.status).toBe(200)
  })
})
