import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import {
  expectGenuine,
  type LedgerFile,
  placeIn,
  ReceiptError,
  readObject
} from '../../src/erasures/receipts/check.ts'
import { addressOf } from '../address.ts'
import { call, listReceiptKeys } from '../api.ts'
import { Icon } from '../icons.tsx'
import { Moment, Top } from '../parts.tsx'
import { own, project } from '../session.ts'
import type { SignedReceipt } from './api.ts'
import { ReceiptWords } from './receipt.tsx'
import { receiptTextIn } from './saved-page.ts'

type Verdict = {
  file: string
  tone: 'good' | 'bad' | 'open'
  title: string
  words: string
  receipt?: SignedReceipt
}

const TITLES = {
  unreadable: 'This is not a receipt.',
  unsigned: 'This receipt has no signature that can be verified.',
  foreign: 'Another deployment has signed this receipt, or nobody has.',
  forged: 'This receipt is forged, or was changed.'
}

/** Returns the JSON in a file: a receipt, a ledger, or the page of a receipt. */
const readFile = async (file: File): Promise<Record<string, unknown>> => {
  const text = await file.text()
  return readObject(receiptTextIn(text) ?? text, file.name)
}

/** Says what a receipt is worth: by this browser, or by the service if the browser has no Ed25519. */
async function judge(file: string, receipt: SignedReceipt, ledger?: LedgerFile): Promise<Verdict> {
  const { keys } = await listReceiptKeys()
  const isOwn = receipt.project_id === project.value?.id
  const name = own.value?.projects.find(({ id }) => id === receipt.project_id)?.name
  const whose = isOwn
    ? ''
    : ` It is about another project: ${name ?? `number ${receipt.project_id}`}.`
  try {
    await expectGenuine(receipt, keys)
    const place = ledger ? ` ${await placeIn(receipt, ledger)}` : ''
    const words = `This service has signed it, and nothing in it has changed since.${whose}${place}`
    return { file, tone: 'good', title: 'The signature is genuine.', words, receipt }
  } catch (error) {
    if (error instanceof ReceiptError || !isOwn) {
      throw error
    }
    const { valid, detail } = await call<{ valid: boolean; detail: string }>(
      'POST',
      'persons/deletion_receipts/verify/',
      { body: receipt }
    )
    const words = `${detail} The service says so: this browser cannot verify signatures here.`
    return valid
      ? { file, tone: 'good', title: 'The service has signed this receipt.', words, receipt }
      : { file, tone: 'bad', title: TITLES.forged, words }
  }
}

function verdictOf(file: string, error: unknown): Verdict {
  const flaw = error instanceof ReceiptError ? error.flaw : undefined
  const words = error instanceof Error ? error.message : String(error)
  const tone = flaw === 'forged' || flaw === 'foreign' ? 'bad' : 'open'
  return { file, tone, title: flaw ? TITLES[flaw] : 'The receipt is not verified.', words }
}

const isLedger = (value: object): boolean => 'links' in value
const isReceipt = (value: object): boolean => 'project_id' in value && 'id' in value

async function verify(files: File[]): Promise<Verdict[]> {
  const read = await Promise.all(
    files.map(async (file) => ({ name: file.name, value: await readFile(file).catch((e) => e) }))
  )
  const ledger = read.find(({ value }) => isLedger(value))
  const others = read.filter((one) => one !== ledger)
  return Promise.all(
    others.map(async ({ name, value }) => {
      try {
        if (value instanceof Error) {
          throw value
        }
        if (!isReceipt(value)) {
          throw new ReceiptError('unreadable', `${name} has no id and no project.`)
        }
        return await judge(name, value, ledger?.value)
      } catch (error) {
        return verdictOf(name, error)
      }
    })
  )
}

/** Verifies the files of receipts in this browser. */
export function VerifyPage() {
  const verdicts = useSignal<Verdict[]>([])
  const isOver = useSignal(false)
  const take = async (files: FileList | null | undefined) => {
    isOver.value = false
    if (files && files.length > 0) {
      verdicts.value = await verify([...files])
    }
  }
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault()
      isOver.value = event.type === 'dragover'
    }
    const drop = (event: DragEvent) => {
      event.preventDefault()
      void take(event.dataTransfer?.files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', over)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', over)
      removeEventListener('drop', drop)
    }
  }, [])
  return (
    <>
      <Top>
        <a class="crumb" href={addressOf(['privacy'])}>
          Privacy
        </a>
        <h1>Verify a receipt</h1>
      </Top>
      <div class="body wide">
        <div class="stack narrow">
          <label class={`dropzone${isOver.value ? ' over' : ''}`}>
            <Icon name="receipt" />
            <b>Drop a receipt here, or choose its file</b>
            <span class="sec">
              A saved receipt or its page. With ledger.json beside it, its place in the ledger is
              verified, too. Nothing is uploaded: this browser does the sums.
            </span>
            <input
              type="file"
              class="vh"
              multiple
              accept=".json,.html,application/json,text/html"
              onChange={(event) => {
                void take(event.currentTarget.files)
                event.currentTarget.value = ''
              }}
            />
            <span class="b">Choose a file</span>
          </label>
          <div role="status" class="stack">
            {verdicts.value.map((verdict, i) => (
              <Shown key={`${i} ${verdict.file}`} verdict={verdict} />
            ))}
          </div>
        </div>
      </div>
    </>
  )
}

const ICONS = { good: 'done', bad: 'remove', open: 'warning' } as const

function Shown({ verdict }: { verdict: Verdict }) {
  const { file, tone, title, words, receipt } = verdict
  const at = receipt?.verified_at ?? receipt?.stated_at
  return (
    <section class="card task">
      <header>
        <h2 class="cut">
          <bdi>{file}</bdi>
        </h2>
      </header>
      <div class="pad">
        <div class={`verdict ${tone}`}>
          <Icon name={ICONS[tone]} />
          <p>
            <b>{title}</b> {words}
            {at && (
              <>
                {' '}
                Signed <Moment at={at} />.
              </>
            )}
          </p>
        </div>
        {receipt && <ReceiptWords receipt={receipt} />}
      </div>
    </section>
  )
}
