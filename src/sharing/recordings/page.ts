import { escapeHtml } from '../../html.ts'

/**
 * Returns the content security policy of the player: it runs only its own files, talks only to this
 * service, and shows only the service's documents in frames.
 * @param origin the public origin of this service
 */
export const policyOf = (origin: string): string =>
  `default-src 'none'; script-src ${origin}/player/; style-src ${origin}/player/; connect-src ${origin}/shared/; frame-src ${origin}/player/; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Returns the page that plays a shared recording; `title` is the recording's first page. */
export const playerPage = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Session recording</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/player/player.css">
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<main>
<div>
<div id="stage"></div>
<p id="status" role="status">The recording is loading.</p>
<form>
<button type="button" id="play" disabled>Play</button>
<input type="range" id="position" min="0" max="1" value="0" step="any" aria-label="Position" disabled>
<span id="clock"></span>
<label>Speed <select id="speed" disabled><option value="1">1×</option><option value="2">2×</option><option value="4">4×</option><option value="8">8×</option></select></label>
<label><input type="checkbox" id="skip" disabled> Skip inactivity</label>
<label id="windows" hidden>Window <select id="window"></select></label>
<button type="button" id="load" disabled title="The site can then see that someone is watching.">Load the site’s images and styles</button>
</form>
</div>
<ol id="moments" aria-label="Pages, clicks, events and the console"></ol>
</main>
<script type="module" src="/player/player.js"></script>
</body>
</html>
`
