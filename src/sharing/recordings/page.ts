import { escapeHtml } from '../../html.ts'
import type { About } from './about.ts'
import { screenOf } from './screen.ts'

/**
 * Returns the content security policy of the player: it runs only its own files, talks only to this
 * service, and shows only the service's documents in frames.
 * @param origin the public origin of this service
 */
export const policyOf = (origin: string): string =>
  `default-src 'none'; script-src ${origin}/player/; style-src ${origin}/player/; connect-src ${origin}/shared/; frame-src ${origin}/player/; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Returns the page that plays a shared recording. */
export const playerPage = (about: About): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(['Recording', ...about.facts].join(', '))}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/player/player.css">
</head>
<body>
${screenOf(about)}
<script type="module" src="/player/player.js"></script>
</body>
</html>
`
