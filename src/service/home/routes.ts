import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import type { ReadHealth } from '../health/check.ts'
import { homePage, policyOf } from './page.ts'

const HOME = describe({
  id: 'home',
  tag: 'Service',
  takesAnyQuery: true,
  summary: 'Show what runs here, as a page',
  answers: { 200: { text: 'An HTML page.', type: 'text/html' } }
})

/** `/`: the page that a visitor sees first. */
export const createHomeRoutes = (readHealth: ReadHealth) =>
  createRouter().get('/', HOME, async (c) => {
    const health = await readHealth(c.env, c.var.now)
    // A nonce must be unguessable and new for each response; the request id is both.
    const nonce = c.var.requestId
    c.header('Content-Security-Policy', policyOf(nonce))
    c.header('Cache-Control', 'no-store')
    return c.html(homePage(new URL(c.req.url).origin, health, nonce))
  })
