import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { createObject, deleteObjects, putObject } from '../../src/bucket.ts'
import { pause } from '../../src/turns.ts'
import { invoke, takeExcesses } from '../support/platform.ts'
import { readTime } from '../support/still-clock.ts'
import worker from '../support/worker.ts'

/** Runs some work as an invocation. @returns its error and the limits that it exceeded, both undefined if there are none */
async function run(work: (limited: typeof env) => Promise<unknown>) {
  const error = await invoke(env, work).then(
    () => undefined,
    ({ message }) => String(message)
  )
  return { error, exceeded: takeExcesses()[0] }
}

const FINE = { error: undefined, exceeded: undefined }

/** Returns a statement whose result is a text of this length. */
const textOf = (length: number): string =>
  `select replace(hex(zeroblob(${length})), '00', 'x') as text`

describe('an invocation', () => {
  it('makes at most 1,000 queries, and each statement of a batch is one', async () => {
    const query = (count: number) =>
      run(async ({ DB }) => {
        const session = DB.withSession()
        const statement = session.prepare('select ?').bind(1)
        await statement.all()
        await session.batch(Array.from({ length: count - 1 }, () => statement))
      })

    expect(await query(1_000)).toEqual(FINE)
    expect((await query(1_001)).exceeded).toMatch(/more than 1000 queries/)
  })

  it('makes at most 10,000 calls to other services', async () => {
    const call = async (count: number) => {
      const CRUD_RATE = { limit: async () => ({ success: true }) }
      await invoke({ CRUD_RATE }, async (limited) => {
        for (let n = 0; n < count; n += 1) {
          await limited.CRUD_RATE.limit()
        }
      })
    }

    await call(10_000)
    await expect(call(10_001)).rejects.toThrow('more than 10000')
    expect(takeExcesses()).toHaveLength(1)
  })

  const TOO_BIG = { error: expect.stringContaining('SQLITE_TOOBIG'), exceeded: undefined }
  const exceeded = (text: string) => ({
    error: expect.stringContaining(text),
    exceeded: expect.stringContaining(text)
  })

  it.each<[string, (more: number) => [string, ...unknown[]], object]>([
    [
      'a statement of 100,000 bytes',
      (more) => [`select '${'x'.repeat(99_991 + more)}'`],
      exceeded('longer than 100000 bytes')
    ],
    [
      '100 values',
      (more) => [
        `select ${Array.from({ length: 100 + more }, () => '?')}`,
        ...new Array(100 + more).fill(1)
      ],
      exceeded('binds 101 values')
    ],
    [
      'a text of 2,000,000 bytes',
      (more) => ['select length(?)', `${'ä'.repeat(1_000_000)}${'x'.repeat(more)}`],
      TOO_BIG
    ],
    [
      'a blob of 2,000,000 bytes',
      (more) => ['select length(?)', new ArrayBuffer(2_000_000 + more)],
      TOO_BIG
    ],
    ['a result of 2,000,000 bytes', (more) => [textOf(2_000_000 + more)], TOO_BIG]
  ])('may use %s, and no more', async (_, statementOf, refusal) => {
    const use = (more: number) =>
      run(({ DB }) => {
        const [text, ...values] = statementOf(more)
        const statement = DB.withSession().prepare(text)
        return statement.bind(...values).all()
      })

    expect(await use(0)).toEqual(FINE)
    expect(await use(1)).toEqual(refusal)
  })

  it('reads at most 32 MiB in one call', async () => {
    const read = (rows: number) =>
      run(({ DB }) => {
        const session = DB.withSession()
        return session.batch(Array.from({ length: rows }, () => session.prepare(textOf(1_048_576))))
      })

    expect((await read(33)).exceeded).toMatch(/the results of a call have \d+ bytes/)
  })

  it('has six connections, for which further calls wait', async () => {
    let open = 0
    let most = 0
    const CRUD_RATE = {
      async limit() {
        open += 1
        most = Math.max(most, open)
        await pause(1)
        open -= 1
        return { success: true }
      }
    }

    const answers = await invoke({ CRUD_RATE }, (limited) =>
      Promise.all(Array.from({ length: 20 }, () => limited.CRUD_RATE.limit()))
    )

    expect([answers.length, most]).toEqual([20, 6])
  })

  it('reads the objects that it gets', async () => {
    await env.BUCKET.put('test/read', '1')

    expect(await run(async ({ BUCKET }) => (await BUCKET.get('test/read'))?.text())).toEqual(FINE)
    expect((await run(({ BUCKET }) => BUCKET.get('test/read'))).exceeded).toBe(
      'The body of test/read is neither read nor cancelled.'
    )
  })

  it('has a clock that stands still between its calls and timers', async () => {
    const see = () => ({ now: Date.now(), date: new Date(), elapsed: performance.now() })
    /** Computes for some milliseconds. */
    const compute = () => {
      for (const { elapsed } = readTime(); readTime().elapsed < elapsed + 20; ) {}
    }

    await invoke(env, async ({ BUCKET }) => {
      const begun = see()
      compute()
      expect(see()).toEqual(begun)
      await Promise.resolve()
      expect(see()).toEqual(begun)
      await pause(0)
      expect(see()).toEqual(begun)
      await pause(5)
      expect(Date.now()).toBe(begun.now + 5)

      await BUCKET.head('test/none')

      expect(Date.now()).toBeGreaterThan(begun.now + 20)
    })
  })

  describe('writes an object once per second', () => {
    const key = () => `test/${crypto.randomUUID()}`
    const TOO_SOON = 'Reduce your concurrent request rate for the same object. (10058)'

    it('by putting or deleting it', async () => {
      const [one, other] = [key(), key()]

      await invoke(env, async ({ BUCKET }) => {
        await BUCKET.put(one, '1')
        await BUCKET.put(other, '1')
        await expect(BUCKET.put(one, '2')).rejects.toThrow(`put: ${TOO_SOON}`)
        await expect(BUCKET.delete([other])).rejects.toThrow(`delete: ${TOO_SOON}`)
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })
        await BUCKET.put(one, '2')
        vi.useRealTimers()
      })

      expect(await (await env.BUCKET.get(one))?.text()).toBe('2')
    })

    it('together with the invocations at the same time', async () => {
      const object = key()
      const put = (work: () => Promise<unknown>) =>
        invoke(env, async ({ BUCKET }) => {
          await BUCKET.put(object, '1')
          await work()
        })

      await put(async () => undefined)
      await put(() => expect(put(async () => undefined)).rejects.toThrow(TOO_SOON))
    })

    it('and the product waits, or leaves an object to the invocation that has created it', async () => {
      const object = key()
      const write = () =>
        invoke(env, async ({ BUCKET }) => {
          const isNew = await createObject(BUCKET, object, 'created')
          await pause(10)
          return isNew
        })

      expect((await Promise.all([write(), write(), write()])).sort()).toEqual([false, false, true])
      await invoke(env, async ({ BUCKET }) => {
        await putObject(BUCKET, object, 'put')
        await deleteObjects(BUCKET, [object])
      })
      expect(await env.BUCKET.head(object)).toBeNull()
    })
  })
})

it('the messages that an earlier test file has left are acknowledged, and not read', async () => {
  const letters = () => env.DB.prepare('select count(*) as n from dead_letters').first('n')
  const deliver = async (timestamp: Date) => {
    const message = { id: crypto.randomUUID(), timestamp, attempts: 1, body: { dead: 1 } }
    const batch = createMessageBatch('edge-analytics-capture-dead', [message])
    await worker.queue(batch, env)
    const { explicitAcks } = await getQueueResult(batch, createExecutionContext())
    return [explicitAcks.length, await letters()]
  }

  expect(await deliver(new Date(0))).toEqual([1, 0])
  expect(await deliver(new Date())).toEqual([1, 1])
})
