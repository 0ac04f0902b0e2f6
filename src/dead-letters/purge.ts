import type { OpenProject } from '../access/open.ts'
import { readTombstones } from '../barred/tombstones/read.ts'
import { noteRows } from '../barred/tombstones/store.ts'
import type { Tombstone } from '../barred/tombstones/tombstone.ts'
import { deleteObjects, putObject } from '../bucket.ts'
import { type ControlDb, openControl, type ProjectDb } from '../db/client.ts'
import { DeadMessage } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { jsonOrText, MARKER_PREFIX, readText, readWaitingKey } from '../queues/waiting-objects.ts'
import { prefixOf } from '../recordings/part.ts'
import { readContent, stringsIn } from './content.ts'
import { type KeptMessage, removeEvents, removePart } from './erased.ts'
import { memberOf } from './noted.ts'
import { type DeadLetterRow, deleteDeadLetter, listDeadLettersOf, noteUnreadable } from './store.ts'

/** Strings whose tombstones are looked up in one query; their hashes take 700 kB. */
const STRINGS_AT_ONCE = 20_000
/** Dead letters that one invocation searches; each is an object to read. */
const LETTERS_AT_ONCE = 50

/**
 * Purges the data of erased persons from the next `LETTERS_AT_ONCE` dead letters of a project,
 * including redriven ones: events if the person was erased together with the events, parts of
 * recordings if the person was erased together with the recordings. A letter that cannot be read is
 * removed if it contains a distinct id of a person who was erased together with either; otherwise
 * it is noted as unreadable, because a receipt must name it.
 * @param after the id of the last dead letter of the previous call, '' for the first call
 * @returns the `after` of the next call, or null when all dead letters have been searched
 */
export async function purgeDeadLetters(
  { env, usage }: Invocation<Pick<Env, 'DB' | 'BUCKET'>>,
  { project, db }: OpenProject,
  after: string
): Promise<string | null> {
  const controlDb = openControl(env, usage).db
  const letters = await listDeadLettersOf(controlDb, project.id, after, LETTERS_AT_ONCE)
  const purge = new Purge({ controlDb, db, bucket: env.BUCKET, project })
  for (const row of letters) {
    await purge.letter(row)
  }
  return letters.length === LETTERS_AT_ONCE ? (letters.at(-1)?.id ?? null) : null
}

type Stores = {
  controlDb: ControlDb
  db: ProjectDb
  bucket: R2Bucket
  project: { id: number; erasureSalt: string }
}

class Purge {
  readonly #stores: Stores

  constructor(stores: Stores) {
    this.#stores = stores
  }

  async letter(row: DeadLetterRow): Promise<void> {
    const { controlDb, bucket } = this.#stores
    const text = await readText(bucket, row.object)
    if (text === undefined) {
      // A purge that deleted the object was interrupted before it deleted the row.
      await deleteDeadLetter(controlDb, row.id)
      return
    }
    const letter = DeadMessage.safeParse(jsonOrText(text)).data
    const content = readContent(letter?.dead)
    if ('part' in content) {
      const kept = this.#kept(row, letter, ({ deletesRecordings }) => deletesRecordings)
      await removePart(this.#stores, content.part, kept)
    } else if ('events' in content) {
      const kept = this.#kept(row, letter, ({ deletesEvents }) => deletesEvents)
      await removeEvents(this.#stores, content.events, kept)
    } else if ('isUnreadable' in content) {
      await this.#removeUnreadable(row, text, letter?.waited_as)
    }
  }

  #kept(
    row: DeadLetterRow,
    letter: DeadMessage | undefined,
    isMeant: (tombstone: Tombstone) => boolean
  ): KeptMessage {
    const { bucket } = this.#stores
    return {
      member: memberOf('dead_letters', row.id),
      isMeant,
      keep: (rest) => putObject(bucket, row.object, JSON.stringify({ ...letter, dead: rest })),
      remove: () => this.#remove(row)
    }
  }

  async #remove({ id, object }: DeadLetterRow): Promise<void> {
    const { controlDb, bucket } = this.#stores
    await deleteObjects(bucket, [object])
    await deleteDeadLetter(controlDb, id)
  }

  /** @param waitedAs the key of the object in which the message has waited */
  async #removeUnreadable(
    row: DeadLetterRow,
    text: string,
    waitedAs: string | undefined
  ): Promise<void> {
    const { controlDb, db, bucket, project } = this.#stores
    const waited = waitedAs === undefined ? undefined : readWaitingKey(waitedAs)
    const strings = [...stringsIn(text)]
    const tombstones: Tombstone[] = []
    for (let from = 0; from < strings.length; from += STRINGS_AT_ONCE) {
      const some = strings.slice(from, from + STRINGS_AT_ONCE)
      const found = await readTombstones(db, project, some)
      tombstones.push(...[...found.values()].flat())
    }
    // Without a time of acceptance, the text may be older than any erasure.
    const meant = tombstones.filter(
      ({ erasedAt, deletesEvents, deletesRecordings }) =>
        (waited?.acceptedAt ?? 0) <= erasedAt && (deletesEvents || deletesRecordings)
    )
    if (meant.length === 0) {
      await noteUnreadable(controlDb, row.id)
      return
    }
    const counts = new Map(meant.map(({ erasureId }) => [erasureId, 1]))
    await noteRows({ db, project }, memberOf('dead_letters', row.id), counts)
    if (waited && waitedAs?.startsWith(MARKER_PREFIX)) {
      // The marker of a part: `session/part`.
      await deleteObjects(bucket, [
        `${prefixOf(project.id, '').slice(0, -1)}${waited.name}.jsonl.gz`
      ])
    }
    await this.#remove(row)
  }
}
