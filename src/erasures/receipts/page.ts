import { escapeHtml } from '../../html.ts'
import type { PublicKey } from './keys.ts'
import { SCRIPT } from './page-script.ts'
import { STYLE } from './page-style.ts'
import type { Receipt } from './schemas.ts'

/** The content security policy of the page: its own style and its own script, and nothing else. */
export const policyOf = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

type Shown = {
  receipt: Receipt
  /** The public key that signed the receipt; undefined if it signed none or is not published. */
  key: PublicKey | undefined
  /** The name of the project. */
  project: string
  /** The public origin of this service: `https://analytics.example.com` */
  origin: string
  nonce: string
}

/** Returns the receipt as one file that needs no other, to be saved and printed. It verifies itself. */
export function receiptPage({ receipt, key, project, origin, nonce }: Shown): string {
  const title = `Deletion receipt ${receipt.id}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="lead">${escapeHtml(leadOf(receipt, project))}</p>
<p id="verdict" role="status" class="open">The signature is not verified: this page needs JavaScript to do so.</p>
<dl>
${factsOf(receipt, origin)
  .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
  .join('\n')}
</dl>
<h2>What was found, removed and left</h2>
<table>
<thead><tr><th scope="col">Store</th><th scope="col">Found</th><th scope="col">Removed</th><th scope="col">Left</th></tr></thead>
<tbody>
${inOrder(receipt.stores).map(rowOf).join('\n')}
</tbody>
</table>
<h2>What is kept, and why</h2>
<ul>
${receipt.kept.map((reason) => `<li>${escapeHtml(reason)}</li>`).join('\n')}
</ul>
<h2>Backups</h2>
<p>Until ${escapeHtml(timeOf(receipt.backups_until))} a backup could bring back the earlier state of the database. After that, no backup holds it.</p>
${subjectOf(receipt)}
<h2>How to check this receipt</h2>
<p>This page verifies the signature itself, from the receipt and the key that it contains. Anybody can write such a page with a key of their own:
compare the fingerprint of the key with the fingerprints published at <a href="${origin}/.well-known/receipt-keys.json">${escapeHtml(origin)}/.well-known/receipt-keys.json</a>.</p>
<details>
<summary>The receipt as it was signed</summary>
<pre>${escapeHtml(JSON.stringify(receipt, null, 2))}</pre>
</details>
</main>
<script type="application/json" id="receipt">${jsonOf(receipt)}</script>
<script type="application/json" id="key">${jsonOf(key?.x ?? null)}</script>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`
}

/** Writes JSON that cannot end the script element around it. */
const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/** `2026-11-22T05:00:09Z` → `2026-11-22 05:00:09 UTC` */
const timeOf = (iso: string): string => iso.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')

function leadOf({ delete_events, delete_recordings }: Receipt, project: string): string {
  const also = [delete_events && 'the events', delete_recordings && 'the recordings'].filter(
    Boolean
  )
  const stay = [!delete_events && 'events', !delete_recordings && 'recordings'].filter(Boolean)
  const kept = stay.length === 0 ? '' : ` The ${stay.join(' and ')} were kept.`
  const what = ['The person', ...also].join(also.length === 2 ? ', ' : ' and ')
  const list = also.length === 2 ? what.replace(/, (?=[^,]*$)/, ' and ') : what
  return `${list} ${also.length > 0 ? 'were' : 'was'} deleted from the project “${project}”.${kept}`
}

const factsOf = (receipt: Receipt, origin: string): [name: string, value: string][] => [
  ['Person', receipt.person_uuid],
  ['Requested', `${timeOf(receipt.requested_at)} by ${requesterOf(receipt)}`],
  ['Searched again and nothing found', timeOf(receipt.verified_at)],
  ['Late events dropped', receipt.late_events_dropped.toLocaleString('en')],
  ['Service', origin],
  ['Fingerprint of the key', receipt.key ?? 'none']
]

/** Returns the name of the user who requested the deletion, and the label of the key. */
function requesterOf({ requested_by: { user, key } }: Receipt): string {
  const textOf = (value: unknown, name: string): string | undefined => {
    const member = typeof value === 'object' && value !== null && Reflect.get(value, name)
    return typeof member === 'string' && member !== '' ? member : undefined
  }
  const name = textOf(user, 'email') ?? textOf(user, 'first_name') ?? 'an unknown user'
  const label = textOf(key, 'label')
  return label ? `${name}, with the key “${label}”` : name
}

/** The stores of a receipt in plain words, in the order of the page. */
const STORES: Record<string, string> = {
  persons: 'The person and the properties',
  distinct_ids: 'Distinct ids',
  search_index: 'Entries in the search index',
  person_versions: 'Copies of the properties, as of each event',
  version_chunks: 'Copies of these in columns',
  activity_values: 'Property values in the activity log',
  events: 'Events',
  segments: 'Copies of events in columns',
  sessions: 'Sessions',
  recordings: 'Recordings',
  recording_parts: 'Parts of recordings',
  dead_letters: 'Messages that could not be processed',
  queued_requests: 'Requests waiting to be processed',
  queued_recording_parts: 'Parts of recordings waiting to be processed'
}

/** Sorts stores as `STORES` does; stores without words come last. */
function inOrder(stores: Receipt['stores']): Receipt['stores'] {
  const names = Object.keys(STORES)
  const placeOf = (store: string) => (names.includes(store) ? names.indexOf(store) : names.length)
  return stores.toSorted((a, b) => placeOf(a.store) - placeOf(b.store))
}

function rowOf({ store, found, removed, remaining }: Receipt['stores'][number]): string {
  const cells = [found, removed, remaining].map((count) => `<td>${count.toLocaleString('en')}</td>`)
  return `<tr><th scope="row">${escapeHtml(STORES[store] ?? store)}</th>${cells.join('')}</tr>`
}

function subjectOf({ subject }: Receipt): string {
  if (!subject) {
    return ''
  }
  const count = subject.distinct_ids.length
  return `<h2>Who was deleted</h2>
<p>The receipt names ${count === 1 ? 'one distinct id' : `${count} distinct ids`} by ${count === 1 ? 'its hash' : 'their hashes'}. Whoever knows an id can check it:</p>
<form id="check"><label for="id">Distinct id</label><input id="id" autocomplete="off" spellcheck="false"><button>Check</button></form>
<p id="answer" role="status"></p>
<p class="soft">In a shell, <code>printf %s%s ${escapeHtml(subject.salt)} ID | sha256sum</code> is in <code>subject.distinct_ids</code>.</p>`
}
