type State = 'ok' | 'warning' | 'unavailable'

/** The answer of `/readyz`. */
export type ServiceHealth = {
  status: State
  database: DatabaseHealth
  other_databases: DatabaseHealth[]
  secrets: {
    name: string
    status: 'ok' | 'missing' | 'too_short' | 'changed'
    detail?: string | undefined
  }[]
  ledger: 'ok' | 'behind' | 'damaged' | 'unknown'
  ledger_fault: string | null
  queue: { backlog: number | null }
  dead_letters: number | null
  crons: {
    cron: string
    last_run: string | null
    failed_jobs: number | null
    overdue: boolean
  }[]
}

type DatabaseHealth = {
  binding: string
  status: State
  answers: boolean
  size_bytes: number
  fill: number
  damaged_columns: number
}

/** How a part of the service is, in words; `todo` says what to do, if there is something. */
export type Finding = {
  part: string
  state: State
  words: string
  todo?: string | undefined
}

type Words = { number: (number: number) => string; moment: (date: Date) => string }

const GB = 1e9

const sizeOf = (bytes: number, { number }: Words): string =>
  bytes < GB / 10
    ? `${number(Math.round(bytes / 1e5) / 10)} MB`
    : `${number(Math.round(bytes / (GB / 10)) / 10)} GB`

/** Says how each part of the service is, those with something to do first. */
export function findingsOf(health: ServiceHealth, words: Words): Finding[] {
  const findings = [
    ...[health.database, ...health.other_databases].map((one) => findDatabase(one, words)),
    ...health.secrets.map(findSecret),
    findLedger(health),
    findQueue(health, words),
    findDead(health, words),
    ...health.crons.map((cron) => findCron(cron, words))
  ]
  const order = ['unavailable', 'warning', 'ok']
  return findings.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
}

function findDatabase(
  { binding, status: state, answers, size_bytes, fill, damaged_columns: damaged }: DatabaseHealth,
  words: Words
): Finding {
  const part = `Database ${binding}`
  if (!answers) {
    return {
      part,
      state,
      words: 'It does not answer.',
      todo: 'Look at the state of D1 in the Cloudflare dashboard. Captured events wait meanwhile, and are not lost.'
    }
  }
  const size = `${sizeOf(size_bytes, words)}, ${words.number(Math.round(fill * 1_000) / 10)}% full.`
  if (state === 'unavailable') {
    return {
      part,
      state,
      words: `${size} A migration is missing.`,
      todo: 'Run npm run deploy, which applies it; locally, start the service again.'
    }
  }
  if (damaged > 0) {
    return {
      part,
      state,
      words: `${size} ${words.number(damaged)} columns were damaged. Answers are right, but slower, until they are built again.`,
      todo: 'Wait for 15 minutes. If it stays, read docs/deploy.md.'
    }
  }
  return {
    part,
    state,
    words: size,
    ...(state === 'warning' && {
      todo: 'Delete events that nobody needs, or give new projects another database. Capture stops when it is 95% full.'
    })
  }
}

function findSecret({ name, status, detail }: ServiceHealth['secrets'][number]): Finding {
  const faults: Record<string, string> = {
    missing: 'This secret is not set.',
    too_short: 'This secret is too short.',
    changed: detail ?? 'It is not the one that was used so far.'
  }
  return status === 'ok'
    ? { part: name, state: 'ok', words: 'This secret is set.' }
    : {
        part: name,
        state: 'unavailable',
        words: faults[status] ?? status,
        todo:
          status === 'changed'
            ? 'Set the former secret again, from the escrow file.'
            : 'Run npm run deploy, which makes it, or set it from the escrow file.'
      }
}

function findLedger({ ledger, ledger_fault: fault }: ServiceHealth): Finding {
  const part = 'Ledger of erasures'
  const states: Record<ServiceHealth['ledger'], Omit<Finding, 'part'>> = {
    ok: { state: 'ok', words: 'It is intact, and applied everywhere.' },
    behind: {
      state: 'unavailable',
      words: 'A database was restored, or has not applied the last erasures yet.',
      todo: 'Wait: they are repeated within minutes, and the project answers again.'
    },
    damaged: {
      state: 'unavailable',
      words: fault ?? 'An entry is missing or changed.',
      todo: 'Run npm run verify, which names it, and restore it from a copy of the bucket.'
    },
    unknown: {
      state: 'warning',
      words: 'The bucket or a database does not answer.',
      todo: 'Look at the state of R2 and D1 in the Cloudflare dashboard.'
    }
  }
  return { part, ...states[ledger] }
}

function findQueue({ queue: { backlog } }: ServiceHealth, { number }: Words): Finding {
  const part = 'Queues'
  if (backlog === null) {
    return { part, state: 'ok', words: 'They do not report how many messages wait.' }
  }
  return {
    part,
    state: 'ok',
    words: backlog === 0 ? 'No message waits.' : `${number(backlog)} messages wait.`
  }
}

function findDead({ dead_letters: dead }: ServiceHealth, { number }: Words): Finding {
  const part = 'Dead letters'
  if (!dead) {
    return {
      part,
      state: 'ok',
      words: dead === 0 ? 'No message has failed for good.' : 'They cannot be counted now.'
    }
  }
  return {
    part,
    state: 'warning',
    words: `${number(dead)} messages have failed for good. Their events are kept, but not stored yet.`,
    todo: 'Run npm run dead -- list, fix the cause, then npm run dead -- redrive.'
  }
}

const CRONS: Record<string, string> = {
  '* * * * *': 'Jobs of each minute',
  '*/15 * * * *': 'Jobs of 15 minutes',
  '30 3 * * *': 'Jobs of the night',
  '0 5 * * SUN': 'Jobs of Sunday'
}

function findCron(
  { cron, last_run, failed_jobs: failed, overdue }: ServiceHealth['crons'][number],
  { moment, number }: Words
): Finding {
  const part = CRONS[cron] ?? cron
  const last =
    last_run === null ? 'It has not run yet.' : `Last run: ${moment(new Date(last_run))}.`
  if (overdue) {
    return {
      part,
      state: 'warning',
      words: `It is overdue. ${last}`,
      todo: 'Look at the Cron Triggers of the Worker. Locally, they fire only while the service runs.'
    }
  }
  if (failed) {
    return {
      part,
      state: 'warning',
      words: `${last} ${number(failed)} jobs failed.`,
      todo: 'The log names them with the reason; the next run tries again.'
    }
  }
  return { part, state: 'ok', words: last }
}
