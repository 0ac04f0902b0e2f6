import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { z } from 'zod'
import { isWeekly } from '../../src/erasures/engine/schedule.ts'
import { CRONS } from '../../src/jobs/cron.ts'
import { CONSUMERS, consumerOf, QueueNames } from '../../src/queues/names.ts'

const root = join(import.meta.dirname, '../..')

const Config = z.object({
  triggers: z.object({ crons: z.array(z.string()) }),
  queues: z.object({
    consumers: z.array(
      z.object({
        queue: z.string(),
        max_batch_size: z.int(),
        max_batch_timeout: z.int(),
        max_retries: z.int(),
        retry_delay: z.int(),
        dead_letter_queue: z.string().optional()
      })
    )
  })
})

const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })

describe('wrangler.toml', () => {
  it('has the crons of the code: every Sunday at 05:00 UTC, every 15 minutes, every night and every minute', () => {
    const { crons } = Config.shape.triggers.parse(config.triggers)
    const [weekly = '', sweep = '', ...others] = crons
    const [minute, hour, day, month, weekday = ''] = weekly.split(' ')
    // Cloudflare numbers days from 1, which is Sunday.
    const days = ['', 'SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

    expect({ minute, hour, day, month }).toEqual({ minute: '0', hour: '5', day: '*', month: '*' })
    expect(days[Number(weekday)] ?? weekday).toBe('SUN')
    expect([isWeekly(weekly), isWeekly(sweep), sweep, others]).toEqual([
      true,
      false,
      '*/15 * * * *',
      ['30 3 * * *', '* * * * *']
    ])
    expect(crons).toEqual(CRONS)
  })

  it('sets every limit of every queue consumer, because local and deployed defaults differ', () => {
    expect(Config.shape.queues.safeParse(config.queues).error).toBeUndefined()
  })

  it('names a queue for each consumer in the code, and no other queue', () => {
    const { consumers } = Config.shape.queues.parse(config.queues)
    const found = consumers.map(({ queue }) => consumerOf(config.vars.QUEUE_NAMES, queue))

    expect(found.sort()).toEqual([...CONSUMERS].sort())
    expect(() => consumerOf(config.vars.QUEUE_NAMES, 'another-queue')).toThrow(
      'QUEUE_NAMES in wrangler.toml names no consumer for the queue another-queue.'
    )
  })

  it('is refused if it names one queue for two consumers', () => {
    const names = {
      ...QueueNames.parse(config.vars.QUEUE_NAMES),
      recordings: 'one',
      capture: 'one'
    }

    expect(() => consumerOf(names, 'one')).toThrow('must name a queue of its own')
  })

  it('has a dead-letter queue for capture, and a consumer of that queue', () => {
    const { consumers } = Config.shape.queues.parse(config.queues)
    const capture = consumers.find((consumer) => consumer.queue === 'edge-analytics-capture')
    expect(capture?.dead_letter_queue).toBe('edge-analytics-capture-dead')
    expect(consumers.map((consumer) => consumer.queue)).toContain(capture?.dead_letter_queue)
  })
})

describe('migrations', () => {
  const files = readdirSync(join(root, 'migrations')).filter((file) => file.endsWith('.sql'))

  it.each(files)('%s drops or rebuilds no table or column, which would delete rows', (file) => {
    const sql = readFileSync(join(root, 'migrations', file), 'utf8')
    expect(sql).not.toMatch(/DROP\s+(TABLE|COLUMN)|__new_|foreign_keys\s*=\s*off/i)
  })
})

describe('package-lock.json', () => {
  it('names no registry, so that npm uses the machine’s', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved"')
  })
})
