import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { QueueNames } from '../src/queues/names.ts'
import { configPath } from './environment.ts'
import { OperatorError } from './faults.ts'

const Binding = z.looseObject({ binding: z.string() })

const Settings = z.object({
  name: z.string(),
  account_id: z.string().optional(),
  compatibility_date: z.string(),
  vars: z.looseObject({
    RECORDING_RETENTION_DAYS: z.string(),
    COMPLETION_DAYS: z.string(),
    QUEUE_NAMES: QueueNames
  }),
  d1_databases: z.array(
    Binding.extend({
      database_name: z.string(),
      database_id: z.string().optional(),
      preview_database_id: z.string().optional(),
      migrations_dir: z.string().default('migrations')
    })
  ),
  r2_buckets: z.array(
    Binding.extend({ bucket_name: z.string(), jurisdiction: z.string().optional() })
  ),
  queues: z.object({
    producers: z.array(Binding.extend({ queue: z.string() })),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() }))
  }),
  secrets: z.object({ required: z.array(z.string()) }),
  triggers: z.object({ crons: z.array(z.string()) }).default({ crons: [] })
})

/**
 * The settings of wrangler.toml. The consumed queues must be exactly the queues in `QUEUE_NAMES`.
 */
const Config = Settings.superRefine(({ vars, queues }, context) => {
  const named = Object.values(vars.QUEUE_NAMES)
  const consumed = queues.consumers.map(({ queue }) => queue)
  for (const queue of new Set(consumed).symmetricDifference(new Set(named))) {
    const message = named.includes(queue)
      ? `QUEUE_NAMES names the queue ${queue}, but no [[queues.consumers]] consumes it.`
      : `[[queues.consumers]] consumes the queue ${queue}, but QUEUE_NAMES does not name it.`
    context.addIssue({ code: 'custom', message })
  }
})
export type Config = z.infer<typeof Config>

/**
 * Reads wrangler.toml without loading wrangler, which takes seconds. @throws OperatorError for an
 * invalid file
 */
export const readConfig = (): Config => checkConfig(readToml(configPath), configPath)

/** Reads a file of settings. @throws OperatorError for an invalid file */
export function readToml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new OperatorError(`${path} cannot be read. ${error}`)
  }
}

/**
 * Checks settings. @param path the file to name in the error @throws OperatorError for invalid
 * settings
 */
export function checkConfig(settings: unknown, path: string): Config {
  const config = Config.safeParse(settings)
  if (!config.success) {
    throw new OperatorError(`${path} cannot be read. ${z.prettifyError(config.error)}`)
  }
  return config.data
}

const LAST_PORT = 65_535

/** Returns the port to listen on: `PORT`, or 8787. @throws OperatorError for an invalid port */
export function readPort(): number {
  const port = Number(process.env.PORT || 8787)
  if (!Number.isInteger(port) || port < 0 || port > LAST_PORT) {
    throw new OperatorError(
      `PORT must be a number from 0 to ${LAST_PORT}; got ${process.env.PORT}.`
    )
  }
  return port
}

/** Whether a port cannot be listened on because another program does. */
export const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

/**
 * Explains why a command cannot listen on a port. If the port is in use, suggests the next one, or
 * the one before the last.
 * @param command the command to repeat on the other port: `npm start`
 */
export function explainPort(error: unknown, port: number, command: string): OperatorError {
  const other = port < LAST_PORT ? port + 1 : port - 1
  return new OperatorError(
    isPortTaken(error)
      ? `Port ${port} is in use. Choose another: PORT=${other} ${command}`
      : `Cannot listen on port ${port}: ${error}`
  )
}
