import { escapeHtml } from '../../html/escape.ts'
import { BRAND, type HtmlPage } from '../../html/page.ts'
import { MENTION_WORDS, STORE_NAMES, STORE_WORDS } from '../names.ts'
import type { PublicKey } from './keys.ts'
import { SCRIPT } from './page-script.ts'
import { STYLE } from './page-style.ts'
import type { Receipt as PersonReceipt } from './schemas.ts'

/** A receipt of any kind, with the members that the page explains. */
type Receipt = Pick<
  PersonReceipt,
  'stores' | 'mentions' | 'kept' | 'backups_until' | 'subject' | 'key'
> & {
  id: number | string
}

/** The words of a page that depend on the kind of receipt: a sentence, and a list of facts. */
export type Words = { lead: string; facts: (readonly [name: string, value: string])[] }

export type Shown = Words & {
  receipt: Receipt
  /** The public key that verifies the receipt; undefined if it is not published. */
  key: PublicKey | undefined
  /** The public origin of this service: `https://analytics.example.com` */
  origin: string
  nonce: string
}

/** Returns the receipt as a page in one file, which verifies the receipt if it has the key. */
export function receiptPage({
  receipt,
  lead,
  facts,
  key,
  origin,
  nonce
}: Shown): Omit<HtmlPage, 'nonce'> {
  const allFacts = [...facts, ['Service', origin], ['Fingerprint of the key', receipt.key]] as const
  const title = `Deletion receipt ${receipt.id}`
  return {
    title: `${title} · Edge Analytics`,
    style: STYLE,
    body: `<main class="paper">
${BRAND}
<h1>${title}</h1>
<p class="sec lead">${escapeHtml(lead)}</p>
<p id="verdict" role="status" class="open">The signature is not verified: that needs JavaScript.</p>
<dl class="kv">
${allFacts
  .map(
    ([name, value]) => `<div><dt>${name}</dt><dd${classOf(value)}>${escapeHtml(value)}</dd></div>`
  )
  .join('\n')}
</dl>
<h2>Found, removed, left</h2>
<table class="table">
<thead><tr><th scope="col">Store</th><th scope="col">Found</th><th scope="col">Removed</th><th scope="col">Left</th></tr></thead>
<tbody>
${rowsOf(receipt).join('\n')}
</tbody>
</table>
<h2>Kept, and why</h2>
<ul class="sec">
${receipt.kept.map((reason) => `<li>${escapeHtml(reason)}</li>`).join('\n')}
</ul>
${mentionsOf(receipt)}<h2>Backups</h2>
<p class="sec">Until ${escapeHtml(timeOf(receipt.backups_until))} a backup could bring back the earlier state of the database. After that, no backup holds it.</p>
${subjectOf(receipt)}
<h2>How to check this receipt</h2>
<p class="sec">If the key is published, this page contains it and verifies the signature itself. But anybody can write such a page with a key of their own:
compare the fingerprint of the key with the fingerprints published at <a href="${origin}/.well-known/receipt-keys.json">${escapeHtml(origin)}/.well-known/receipt-keys.json</a>.</p>
<details>
<summary>The receipt as JSON</summary>
<pre class="code">${escapeHtml(JSON.stringify(receipt, null, 2))}</pre>
</details>
</main>
<script type="application/json" id="receipt">${jsonOf(receipt)}</script>
<script type="application/json" id="key">${jsonOf(key?.x ?? null)}</script>
<script nonce="${nonce}">${SCRIPT}</script>`
  }
}

/** Writes JSON that cannot end the script element around it. */
const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/** Ids and fingerprints are compared character by character. */
const classOf = (value: string): string => (/^[0-9a-f-]{32,}$/.test(value) ? ' class="mono"' : '')

/** `2026-11-22T05:00:09Z` → `22 Nov 2026, 05:00:09 UTC` */
export const timeOf = (iso: string): string => {
  const format: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'medium' }
  return `${new Date(iso).toLocaleString('en-GB', { ...format, timeZone: 'UTC' })} UTC`
}

/** Names the user of the request by e-mail or first name, and the API key by its label. */
export function requesterOf({
  requested_by: { user, key }
}: {
  requested_by: Record<string, unknown>
}): string {
  const textOf = (value: unknown, name: string): string | undefined => {
    const member = typeof value === 'object' && value !== null && Reflect.get(value, name)
    return typeof member === 'string' && member !== '' ? member : undefined
  }
  const name = textOf(user, 'email') ?? textOf(user, 'first_name') ?? 'an unknown user'
  const label = textOf(key, 'label')
  return label ? `${name}, with the key “${label}”` : name
}

/** Returns a row for each store of the receipt, in the order of `STORES`. */
const rowsOf = ({ stores }: Receipt): string[] =>
  STORE_NAMES.flatMap((name) =>
    stores
      .filter(({ store }) => store === name)
      .map(({ found, removed, remaining }) => {
        const cells = [found, removed, remaining].map(
          (count) => `<td${count === 0 ? ' class="zero"' : ''}>${count.toLocaleString('en')}</td>`
        )
        return `<tr><th scope="row">${escapeHtml(STORE_WORDS[name])}</th>${cells.join('')}</tr>`
      })
  )

function mentionsOf({ mentions }: Receipt): string {
  if (!mentions) {
    return ''
  }
  const rows = mentions.map(({ store, looked, examined, complete, found }) => {
    const rest = complete ? '' : ', not all'
    const cells = looked
      ? [`${examined.toLocaleString('en')}${rest}`, found.toLocaleString('en')]
      : ['not looked at', '']
    const name = escapeHtml(MENTION_WORDS[store])
    return `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  return `<h2>What else named the person</h2>
<p class="sec">When the deletion was requested, the person’s ids and e-mail addresses were looked for in other data. What was found is still there, unless somebody has removed it.</p>
<table class="table">
<thead><tr><th scope="col">Store</th><th scope="col">Examined</th><th scope="col">Found</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
`
}

function subjectOf({ subject }: Receipt): string {
  if (!subject || subject.distinct_ids.length === 0) {
    return ''
  }
  const count = subject.distinct_ids.length
  const named =
    count === 1 ? 'one distinct id by its hash' : `${count} distinct ids by their hashes`
  return `<h2>Whom it is about</h2>
<p class="sec">The receipt names ${named}. Anyone who knows an id can check it:</p>
<form id="check"><label for="id">Distinct id</label><input id="id" class="in" autocomplete="off" spellcheck="false"><button class="b">Check</button></form>
<p id="answer" role="status"></p>
<p class="mut">In a shell, <code>printf %s%s ${escapeHtml(subject.salt)} ID | sha256sum</code> prints a hash that <code>subject.distinct_ids</code> contains if the receipt names the ID.</p>`
}
