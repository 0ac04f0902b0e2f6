import { createRouter } from '../../http/env.ts'
import { answerPage } from '../../http/html-page.ts'
import { describe } from '../../http/openapi.ts'
import type { ReadHealth } from '../health/check.ts'
import { homePage } from './page.ts'

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
    return answerPage(c, homePage(new URL(c.req.url).origin, health))
  })
