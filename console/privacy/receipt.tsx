import { useSignal } from '@preact/signals'
import { isAbout, subjectOf } from '../../src/erasures/receipts/check.ts'
import { type ApiError, callText } from '../api.ts'
import { Icon } from '../icons.tsx'
import { Fault, Moment } from '../parts.tsx'
import { saveFile } from '../save.ts'
import { count, exactly } from '../words.ts'
import { inOrder, mentionName, requesterOf, type SignedReceipt, storeName } from './api.ts'

type Fact = [name: string, value: string, isMono?: boolean]

const when = (iso: string | null | undefined): string => (iso ? exactly(new Date(iso)) : 'any time')

function requestOf({ requested_at: at, requested_by: by }: SignedReceipt): Fact[] {
  const key = by?.key?.label
  const words = `${when(at)}, by ${requesterOf(by)}${key ? `, with the key “${key}”` : ''}`
  return at ? [['Requested', words]] : []
}

function deletionOf({ filters, events_listed: listed, matching }: SignedReceipt): Fact[] {
  return [
    ['Events', filters?.events?.join(', ') ?? 'any name'],
    ['From', when(filters?.after)],
    ['Until', when(filters?.before)],
    ['Found by the dry run', count(listed ?? 0)],
    ['Matching when searched again', typeof matching === 'number' ? count(matching) : 'not known']
  ]
}

const suppressionOf = (receipt: SignedReceipt): Fact[] => [
  ['In force since', when(receipt.since)],
  ['Lifted', receipt.lifted_at ? when(receipt.lifted_at) : 'no'],
  ['Events dropped', count(receipt.events_dropped ?? 0)],
  ['Parts of recordings dropped', count(receipt.recording_parts_dropped ?? 0)],
  ['As of', when(receipt.stated_at)]
]

const OF_KIND = { event_deletion: deletionOf, suppression: suppressionOf }

const factsOf = (receipt: SignedReceipt): Fact[] => [
  ...(receipt.person_uuid ? [['Person', receipt.person_uuid, true] satisfies Fact] : []),
  ...requestOf(receipt),
  ...(receipt.kind ? OF_KIND[receipt.kind](receipt) : []),
  ...(receipt.verified_at ? [['Searched again', when(receipt.verified_at)] satisfies Fact] : []),
  ...(receipt.late_events_dropped === undefined
    ? []
    : [['Late events dropped', count(receipt.late_events_dropped)] satisfies Fact]),
  ['Fingerprint of the key', receipt.key.replace(/.{8}(?=.)/g, '$& '), true]
]

/** What a receipt says: facts, the stores, what stays and why, and until when backups have it. */
export function ReceiptWords({ receipt }: { receipt: SignedReceipt }) {
  const { stores = [], kept = [], mentions } = receipt
  return (
    <div class="receipt">
      <dl class="kv">
        {factsOf(receipt).map(([name, value, isMono]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={isMono ? 'mono' : ''}>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {stores.length > 0 && (
        <>
          <h3>Found, removed, left</h3>
          <table class="table framed">
            <thead>
              <tr>
                <th>Store</th>
                <th class="num">Found</th>
                <th class="num">Removed</th>
                <th class="num">Left</th>
              </tr>
            </thead>
            <tbody>
              {inOrder(stores).map(({ store, found, removed, remaining }) => (
                <tr key={store}>
                  <td>{storeName(store)}</td>
                  <td class={found ? 'num' : 'num mut'}>{count(found)}</td>
                  <td class={removed ? 'num' : 'num mut'}>{count(removed)}</td>
                  <td class="num strong">{count(remaining)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {kept.length > 0 && (
        <>
          <h3>What stays, and why</h3>
          <ul class="reasons sec">
            {kept.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </>
      )}
      {mentions && (
        <>
          <h3>What else named the person</h3>
          <p class="sec">
            {mentions
              .map(
                ({ store, looked, found }) =>
                  `${mentionName(store)}: ${looked ? count(found) : 'not searched'}`
              )
              .join(' · ')}
          </p>
        </>
      )}
      {receipt.backups_until && (
        <>
          <h3>Backups</h3>
          <p class="sec">
            A backup can bring back the earlier state until <Moment at={receipt.backups_until} />.
            After that, none holds it.
          </p>
        </>
      )}
      <About receipt={receipt} />
    </div>
  )
}

/** Answers whether a receipt is about a distinct id, which never leaves the browser. */
function About({ receipt }: { receipt: SignedReceipt }) {
  const typed = useSignal('')
  const answer = useSignal<boolean | undefined>(undefined)
  const { hashes } = subjectOf(receipt)
  if (hashes.length === 0 || !globalThis.crypto?.subtle) {
    return null
  }
  const number = hashes.length === 1 ? 'one distinct id' : `${count(hashes.length)} distinct ids`
  return (
    <>
      <h3>Whom it is about</h3>
      <p class="sec">
        The receipt names {number} by hash. Anyone who knows an id can ask; the id stays in this
        browser.
      </p>
      <form
        class="row about"
        onSubmit={async (event) => {
          event.preventDefault()
          answer.value = await isAbout(receipt, typed.value)
        }}
      >
        <input
          class="in"
          aria-label="Distinct id"
          placeholder="Distinct id"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
            answer.value = undefined
          }}
        />
        <button type="submit" class="b" disabled={typed.value === ''}>
          Ask the receipt
        </button>
        <span role="status" class={answer.value ? 'good-text' : 'sec'}>
          {answer.value === true && 'Yes: it is about this distinct id.'}
          {answer.value === false && 'No: it is not about this distinct id.'}
        </span>
      </form>
    </>
  )
}

type SaveProps = { receipt: SignedReceipt; page: string }

/** Saves a receipt as data, or as a page that verifies itself. */
export function SaveReceipt({ receipt, page }: SaveProps) {
  const name = `receipt-${receipt.id}`
  const fault = useSignal<ApiError | undefined>(undefined)
  const savePage = async () => {
    try {
      saveFile(
        `${name}.html`,
        await callText('GET', page, { query: { format: 'html' } }),
        'text/html'
      )
      fault.value = undefined
    } catch (error) {
      fault.value = error as ApiError
    }
  }
  return (
    <>
      <button type="button" class="b small" onClick={() => saveReceipt(receipt)}>
        <Icon name="save" small />
        Save the receipt
      </button>
      <button
        type="button"
        class="b small"
        title="One file to print and send, which verifies itself in a browser"
        onClick={savePage}
      >
        <Icon name="receipt" small />
        Save its page
      </button>
      {fault.value && <Fault error={fault.value} />}
    </>
  )
}

export const saveReceipt = (receipt: SignedReceipt): void =>
  saveFile(`receipt-${receipt.id}.json`, JSON.stringify(receipt, null, 2), 'application/json')
