import { escapeHtml } from '../../html/escape.ts'
import type { About } from './about.ts'
import { PLAYER_PARTS, SITE_PART } from './parts.ts'

const counted = (label: string, count: number, isBad = false): string =>
  `<div><dt>${label}</dt><dd${isBad && count > 0 ? ' class="hot"' : ''}>${count}</dd></div>`

/** Returns the content of the player's page. The player's script finds its parts by their ids. */
export const screenOf = ({ title, facts, clicks, keys, errors }: About): string => `<main>
<section id="screen" aria-label="Player">
<header id="header"><h1 title="${escapeHtml(title)}">${escapeHtml(title)}</h1><p>${facts.map((fact) => `<span>${escapeHtml(fact)}</span>`).join('')}</p></header>
${PLAYER_PARTS}
<div id="about" class="about">
<dl>${counted('Clicks', clicks)}${counted('Inputs', keys)}${counted('Errors', errors, true)}</dl>
<p class="site">${SITE_PART}</p>
</div>
</section>
<section id="log" aria-labelledby="log-title">
<h2 id="log-title">Timeline</h2>
<ol id="moments"></ol>
</section>
</main>`
