import { escapeHtml } from '../../html.ts'

/** Returns the Content-Security-Policy of the page: it may send its form to this service, and nothing else. */
export const policyOf = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** Writes a page with one message and, with `button`, a form to confirm it. */
export const toPage = (
  title: string,
  words: string,
  nonce: string,
  button?: string
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">
body { margin: 15vh auto 0; max-width: 30rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #1f2328; }
p { overflow-wrap: anywhere; }
button { padding: .6rem 1.2rem; border: 0; border-radius: 6px; background: #1f2328; color: #fff; font: inherit; cursor: pointer; }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(words)}</p>
${button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`}
</body>
</html>
`
