/**
 * The script of the page. It verifies the signature with the browser's own Ed25519, and says so if
 * the browser has none. It shows a tick only when the signature is right and the key has the
 * fingerprint that the receipt names.
 */
export const SCRIPT = `
const read = (id) => JSON.parse(document.getElementById(id).textContent)
const receipt = read('receipt')
const x = read('key')
const verdict = document.getElementById('verdict')
const show = (state, text) => {
  verdict.className = state
  verdict.textContent = text
}
const text = new TextEncoder()
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const sha256 = async (bytes) => hex(await crypto.subtle.digest('SHA-256', bytes))
const sorted = (value) => {
  if (Array.isArray(value)) {
    return value.map(sorted)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}

async function verify() {
  if (!receipt.signature) {
    return show('open', 'This copy has no signature: the service lost its secret. An older copy can be verified.')
  }
  if (!x) {
    return show('bad', 'The key of this receipt is not published by this service.')
  }
  if (!globalThis.crypto?.subtle) {
    return show('open', 'The signature is not verified: browsers verify only on pages opened with HTTPS or from a file. Save this page and open the file.')
  }
  const raw = Uint8Array.from(atob(x.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  if ((await sha256(raw)) !== receipt.key) {
    return show('bad', 'The key in this page is not the key that the receipt names.')
  }
  let key
  try {
    key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify'])
  } catch {
    return show('open', 'The signature is not verified: this browser has no Ed25519. Open this page in a newer browser.')
  }
  const { signature, ...content } = receipt
  const bytes = Uint8Array.from(signature.match(/../g), (pair) => Number.parseInt(pair, 16))
  const isGenuine = await crypto.subtle.verify('Ed25519', key, bytes, text.encode(JSON.stringify(sorted(content))))
  if (!isGenuine) {
    return show('bad', 'The signature is wrong: the receipt was changed, or somebody else wrote it.')
  }
  const day = new Date(receipt.verified_at).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  show('good', 'This page has verified the signature: the receipt is unchanged since ' + day + '.')
}

verify().catch(() => show('bad', 'The signature could not be verified.'))

document.getElementById('check')?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const answer = document.getElementById('answer')
  if (!globalThis.crypto?.subtle) {
    answer.textContent = 'This browser checks only on pages opened with HTTPS or from a file.'
    return
  }
  const hash = await sha256(text.encode(receipt.subject.salt + document.getElementById('id').value))
  answer.textContent = receipt.subject.distinct_ids.includes(hash)
    ? 'Yes: the receipt is about this distinct id.'
    : 'No: the receipt is not about this distinct id.'
})
`
