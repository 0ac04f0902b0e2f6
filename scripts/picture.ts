import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { escapeHtml } from '../src/html/escape.ts'
import { drain } from './drain.ts'
import { root } from './environment.ts'
import { startExample } from './example.ts'
import { fileNamed, readCommandLine } from './usage.ts'

const USAGE = `npm run picture -- [file]

Draws docs/terminal.svg, or the file. Starts a service of its own, sends an event and erases the person; the picture shows
the service's answers, shortened.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })
const [name] = positionals
const file = name === undefined ? join(root, 'docs/terminal.svg') : fileNamed(name)

/** Columns of the terminal; a longer line is cut. */
const COLUMNS = 97
const LINE = 21
const MARGIN = 24
/** Width of a character at the font size, in pixels. */
const CHARACTER = 8.43

const Person = z.object({ id: z.int(), name: z.string(), distinct_ids: z.array(z.string()) })
const Store = z.object({
  store: z.string(),
  found: z.int(),
  removed: z.int(),
  remaining: z.int()
})
const Receipt = z.looseObject({
  stores: z.array(Store),
  backups_until: z.string(),
  signature: z.string()
})
const Page = <T extends z.ZodType>(item: T) => z.object({ results: z.tuple([item]) })

type Line = { text: string; kind: 'command' | 'answer' | 'good' }

const { url, token, key, env, stop } = await startExample()
try {
  writeFileSync(file, draw(await play()))
} finally {
  await stop()
}

async function play() {
  const shown = 'http://127.0.0.1:8787'
  const api = `${url}/api/projects/@current/persons`
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${api}${path}`, { ...init, headers })
    return { status: answer.status, text: await answer.text() }
  }

  const event = {
    api_key: token,
    event: '$identify',
    distinct_id: 'ada',
    properties: { $set: { email: 'ada@example.com' } }
  }
  const captured = await fetch(`${url}/i/v0/e/`, { method: 'POST', body: JSON.stringify(event) })
  const status = await captured.text()
  const left = await drain(url)
  if (left) {
    throw new Error(`The event was not processed in time. Still queued: ${left}.`)
  }

  const found = await ask('/?email=ada@example.com')
  const [person] = Page(Person).parse(JSON.parse(found.text)).results
  const deleted = await ask(`/${person.id}/?delete_events=true`, { method: 'DELETE' })
  const table = await purge()

  const followed = await ask('/deletion_status/')
  const Task = z.object({ status: z.string(), receipt: Receipt })
  const [task] = Page(Task).parse(JSON.parse(followed.text)).results
  const verified = await ask('/deletion_receipts/verify/', {
    method: 'POST',
    body: JSON.stringify(task.receipt)
  })

  const removed = task.receipt.stores.filter(({ found }) => found > 0)
  return [
    ...command('npm ci && npm start'),
    ...answer(`Edge Analytics answers on ${shown}`),
    ...command(`curl ${shown}/i/v0/e/ -d '{"event":"$identify","distinct_id":"ada", …}'`),
    ...answer(status),
    ...command(`curl '${shown}/api/projects/@current/persons/?email=ada@example.com'`),
    ...answer(
      `{"count":1, … "id":${person.id},"name":"${person.name}","distinct_ids":["${person.distinct_ids}"], …}`
    ),
    ...command(`curl -X DELETE '…/persons/${person.id}/?delete_events=true'`),
    ...answer(String(deleted.status)),
    ...command('npm run purge:now'),
    ...answer(table),
    ...command('curl …/persons/deletion_status/'),
    ...answer(`"status": "${task.status}"`),
    ...removed.map(({ store, found: seen, removed: gone, remaining }) => ({
      text: `${quote(store).padEnd(20)}found ${seen}   removed ${gone}   remaining ${remaining}`,
      kind: 'answer' as const
    })),
    ...answer(`"signature": "${task.receipt.signature.slice(0, 48)}…"`),
    ...command('curl …/persons/deletion_receipts/verify/ -d @receipt.json'),
    { text: verified.text, kind: 'good' as const }
  ]
}

/** Runs `npm run purge:now` on the example. @returns the table that it prints */
async function purge(): Promise<string> {
  const purged = spawn('npm', ['run', '--silent', 'purge:now'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const closed = once(purged, 'close')
  const printed = (await purged.stdout.toArray()).join('')
  const [code] = await closed
  if (code !== 0) {
    throw new Error(`npm run purge:now failed:\n${printed}`)
  }
  return printed.trimEnd()
}

function quote(text: string): string {
  return `"${text}"`
}

function command(text: string): Line[] {
  return [{ text, kind: 'command' }]
}

function answer(text: string): Line[] {
  return text.split('\n').map((line) => ({ text: line, kind: 'answer' }))
}

function draw(lines: Line[]): string {
  let y = 58
  const rows = lines.map(({ text, kind }, i) => {
    y += i > 0 && kind === 'command' ? LINE * 1.5 : LINE
    const cut = text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text
    const prompt = kind === 'command' ? '<tspan class="prompt">$ </tspan>' : ''
    return `<text x="${MARGIN}" y="${y}" class="${kind}" xml:space="preserve">${prompt}${escapeHtml(cut)}</text>`
  })
  const width = Math.ceil(MARGIN * 2 + (COLUMNS + 2) * CHARACTER)
  const height = y + MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">A terminal: the service is started, gets an event, erases its person, and verifies the receipt</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #c9d1d9 }
.command { fill: #ffffff }
.prompt { fill: #79c0ff }
.good { fill: #56d364 }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="26" cy="26" r="6" fill="#ff5f57"/><circle cx="46" cy="26" r="6" fill="#febc2e"/><circle cx="66" cy="26" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`
}
