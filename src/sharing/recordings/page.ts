import type { HtmlPage } from '../../html/page.ts'
import type { About } from './about.ts'
import { screenOf } from './screen.ts'

/**
 * Returns what the policy of the player's page allows: it runs only its own files, talks only to
 * this service, and shows only the service's documents in frames.
 * @param origin the public origin of this service
 * @param nonce the nonce of the page's style sheet
 */
export const playerPolicy = (origin: string, nonce: string) => ({
  'script-src': `${origin}/player/`,
  'style-src': `'nonce-${nonce}' ${origin}/player/`,
  'connect-src': `${origin}/shared/`,
  'frame-src': `${origin}/player/`
})

/** Returns the page that plays a shared recording. */
export const playerPage = (about: About): Omit<HtmlPage, 'nonce'> => ({
  title: ['Recording', ...about.facts].join(', '),
  sheets: ['/player/player.css'],
  body: `${screenOf(about)}
<script type="module" src="/player/player.js"></script>`
})
