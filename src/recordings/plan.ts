import { type Tombstone, tombstoneFor } from '../barred/tombstones/tombstone.ts'
import { addActivity, NO_ACTIVITY } from './activity.ts'
import { correctionOf, roundSkew } from './clock.ts'
import { firstUrls, move, type PartSummary } from './summary.ts'

/** A part to store: the summary of its snapshots, and the size of its object in bytes. */
export type IncomingPart = {
  sessionId: string
  partId: string
  distinctId: string
  source: 'web' | 'mobile'
  receivedAt: number
  bytes: number
  /** How far the visitor's clock was ahead, ms. */
  skew: number
  /**
   * Its times are by the visitor's clock in an incoming part, by the server's in a part to store.
   */
  summary: PartSummary
}

/** The aggregate of all parts of a recording. Times are ms UTC. */
export type Recording = Omit<PartSummary, 'urls'> & {
  sessionId: string
  identity: number
  isRelinked: boolean
  /** The correction of the visitor's clock that the recording began with, ms. */
  skew: number
  firstPart: string
  snapshotSource: string
  startUrl: string | null
  urls: PartSummary['urls']
  parts: number
  bytes: number
  lastReceivedAt: number
}

export type StoredRecording = Recording & { deleted: boolean; revision: number }

/** Names a part within its project. */
export const nameOfPart = ({
  sessionId,
  partId
}: Pick<IncomingPart, 'sessionId' | 'partId'>): string => `${sessionId}/${partId}`

/** The stored facts about the sessions, parts and distinct ids that a batch of parts touches. */
export type KnownRecordings = {
  recordings: ReadonlyMap<string, StoredRecording>
  /** The names of the parts that are stored already: see `nameOfPart`. */
  seen: ReadonlySet<string>
  /** Keys by distinct id. */
  identities: ReadonlyMap<string, number>
  /** Owners of `recordings` whose distinct ids are erased, as keys of identities. */
  erasedIdentities: ReadonlySet<number>
  /** Start of the retention period, ms UTC; earlier snapshots are refused. */
  keptSince: number
  /** When the project last erased a person, ms UTC; 0 for never. */
  lastErasure: number
  /** Tombstones of the distinct ids that were erased after one of the parts was accepted. */
  tombstones: ReadonlyMap<string, Tombstone[]>
}

/** Everything that has to be written to store the parts. */
export type RecordingChanges = {
  parts: IncomingPart[]
  created: Recording[]
  /**
   * `isMoved`: whether an indexed column changes; `movedBy`: by how much the stored parts have to
   * be moved, ms.
   */
  updated: (Recording & { revision: number; isMoved: boolean; movedBy: number })[]
  newIdentities: { key: number; distinct_id: string }[]
  /** Stored identities that must still exist when the changes are written. */
  expectedIdentities: number[]
  /** Erased identities whose recordings must still be kept when the changes are written. */
  usedTombstones: number[]
  /**
   * `Known.lastErasure`. The write fails after a later erasure, which may have erased a distinct id
   * for which the plan creates a new identity.
   */
  lastErasure: number
  /**
   * Parts whose objects must be deleted: they belong to deleted recordings or erased persons, are
   * too old, or exceed the size limits.
   */
  refused: IncomingPart[]
}

/** Maximum number of parts of one recording: about eight hours of uninterrupted activity. */
export const MAX_RECORDING_PARTS = 10_000
/** Largest recording, compressed, bytes: about as much as a browser can play. */
export const MAX_RECORDING_BYTES = 250_000_000

/** Maximum number of characters that are kept of the URL at which a recording starts. */
const MAX_START_URL = 512

/**
 * Plans the changes for a batch of parts. Leaves out parts that are stored already. Unless a
 * recording reaches its size limits, or the visitor's clock is set meanwhile, it ends up the same
 * however its parts are divided into batches, and in whatever order they arrive.
 */
export function planParts(
  incoming: IncomingPart[],
  known: KnownRecordings,
  newKey: () => number
): RecordingChanges {
  const plan = new Plan(known, newKey)
  // With the earliest part first, no other part of the batch changes the correction of a recording.
  for (const part of incoming.toSorted(byStart)) {
    plan.add(part)
  }
  return plan.changes()
}

const byStart = (a: IncomingPart, b: IncomingPart): number =>
  a.summary.startTime - b.summary.startTime || (a.partId < b.partId ? -1 : 1)

type Draft = {
  recording: Recording
  stored: StoredRecording | undefined
  /**
   * The earliest part of the batch, if it is earlier than all stored parts; it determines the
   * recording's identity.
   */
  first: IncomingPart | undefined
  /** By how much the stored parts have to be moved, ms. */
  movedBy: number
}

class Plan {
  readonly #known: KnownRecordings
  readonly #newKey: () => number
  readonly #drafts = new Map<string, Draft>()
  readonly #parts = new Map<string, IncomingPart>()
  readonly #refused: IncomingPart[] = []
  readonly #newIdentities = new Map<string, number>()
  readonly #expectedIdentities = new Set<number>()
  readonly #usedTombstones = new Set<number>()

  constructor(known: KnownRecordings, newKey: () => number) {
    this.#known = known
    this.#newKey = newKey
  }

  add(sent: IncomingPart): void {
    const name = nameOfPart(sent)
    if (this.#known.seen.has(name) || this.#parts.has(name)) {
      return
    }
    const stored = this.#known.recordings.get(sent.sessionId)
    const before = this.#drafts.get(sent.sessionId) ?? {
      recording: stored ?? begin(sent),
      stored,
      first: undefined,
      movedBy: 0
    }
    const { draft, part } = correct(before, sent)
    const { recording } = draft
    const isTooOld = part.summary.startTime < this.#known.keptSince
    const isErased = this.#tombstoneOf(part)?.deletesRecordings
    if (isTooOld || isErased || stored?.deleted || isFull(recording, part)) {
      this.#refused.push(sent)
      return
    }
    this.#drafts.set(part.sessionId, {
      ...draft,
      recording: join(recording, part),
      first: isFirst(recording, part) ? part : draft.first
    })
    this.#parts.set(name, part)
  }

  changes(): RecordingChanges {
    const created: RecordingChanges['created'] = []
    const updated: RecordingChanges['updated'] = []
    for (const { recording, stored, first, movedBy } of this.#drafts.values()) {
      const identity =
        first && !this.#keepsOwner(recording) ? this.#identityOf(first) : recording.identity
      const whole = { ...recording, identity }
      if (!stored) {
        created.push(whole)
      } else {
        const isMoved = stored.startTime !== whole.startTime || stored.identity !== identity
        updated.push({ ...whole, revision: stored.revision, isMoved, movedBy })
      }
    }
    return {
      parts: [...this.#parts.values()],
      created,
      updated,
      newIdentities: [...this.#newIdentities].map(([distinct_id, key]) => ({ key, distinct_id })),
      expectedIdentities: [...this.#expectedIdentities],
      usedTombstones: [...this.#usedTombstones],
      lastErasure: this.#known.lastErasure,
      // A part that arrives twice, before and after an erasure, may be both refused and stored. Its
      // object is then needed.
      refused: this.#refused.filter((part) => !this.#parts.has(nameOfPart(part)))
    }
  }

  /**
   * Whether a recording keeps its owner when an earlier part arrives: the owner was set by a user,
   * or is erased. The erased person's distinct id may be in use again, and must not reach the
   * recording.
   */
  #keepsOwner({ identity, isRelinked }: Recording): boolean {
    return isRelinked || this.#known.erasedIdentities.has(identity)
  }

  #tombstoneOf({ distinctId, receivedAt }: IncomingPart): Tombstone | undefined {
    return tombstoneFor(this.#known.tombstones.get(distinctId) ?? [], receivedAt)
  }

  #identityOf(part: IncomingPart): number {
    const tombstone = this.#tombstoneOf(part)
    if (tombstone) {
      this.#usedTombstones.add(tombstone.key)
      return tombstone.key
    }
    const { distinctId } = part
    const known = this.#known.identities.get(distinctId)
    if (known !== undefined) {
      this.#expectedIdentities.add(known)
      return known
    }
    const key = this.#newIdentities.get(distinctId) ?? this.#newKey()
    this.#newIdentities.set(distinctId, key)
    return key
  }
}

/** Returns an empty recording. `Plan.changes` replaces the `identity`. */
const begin = ({ sessionId, partId, source, skew }: IncomingPart): Recording => ({
  sessionId,
  identity: 0,
  isRelinked: false,
  startTime: Number.POSITIVE_INFINITY,
  endTime: Number.NEGATIVE_INFINITY,
  skew: roundSkew(skew),
  firstPart: partId,
  snapshotSource: source,
  activeMs: 0,
  clickCount: 0,
  keypressCount: 0,
  mouseActivityCount: 0,
  consoleLogCount: 0,
  consoleWarnCount: 0,
  consoleErrorCount: 0,
  startUrl: null,
  urls: [],
  activity: NO_ACTIVITY,
  parts: 0,
  bytes: 0,
  lastReceivedAt: 0
})

/**
 * Corrects the times of a part. If the part is now the first, and would have given the recording
 * another correction, moves the recording to that correction.
 */
function correct(draft: Draft, sent: IncomingPart): { draft: Draft; part: IncomingPart } {
  const { recording } = draft
  const by = (correction: number) => ({ ...sent, summary: move(sent.summary, -correction) })
  const correction = correctionOf(sent.skew, recording.skew)
  const part = by(correction)
  const own = roundSkew(sent.skew)
  if (own === recording.skew || !isFirst(recording, part)) {
    return { draft, part }
  }
  // The parts before and after the visitor has set the clock keep their own corrections.
  const movedBy = correction === recording.skew ? recording.skew - own : 0
  const moved = { ...move(recording, movedBy), skew: own }
  return { draft: { ...draft, recording: moved, movedBy: draft.movedBy + movedBy }, part: by(own) }
}

const isFull = ({ parts, bytes }: Recording, part: IncomingPart): boolean =>
  parts >= MAX_RECORDING_PARTS || bytes + part.bytes > MAX_RECORDING_BYTES

/** Whether a part is earlier than all parts of the recording. */
const isFirst = (
  { parts, startTime, firstPart }: Recording,
  { partId, summary }: IncomingPart
): boolean =>
  parts === 0 ||
  summary.startTime < startTime ||
  (summary.startTime === startTime && partId < firstPart)

function join(recording: Recording, part: IncomingPart): Recording {
  const { summary } = part
  const urls = firstUrls([...recording.urls, ...summary.urls])
  return {
    ...recording,
    ...(isFirst(recording, part) && { firstPart: part.partId, snapshotSource: part.source }),
    startTime: Math.min(recording.startTime, summary.startTime),
    endTime: Math.max(recording.endTime, summary.endTime),
    activeMs: recording.activeMs + summary.activeMs,
    clickCount: recording.clickCount + summary.clickCount,
    keypressCount: recording.keypressCount + summary.keypressCount,
    mouseActivityCount: recording.mouseActivityCount + summary.mouseActivityCount,
    consoleLogCount: recording.consoleLogCount + summary.consoleLogCount,
    consoleWarnCount: recording.consoleWarnCount + summary.consoleWarnCount,
    consoleErrorCount: recording.consoleErrorCount + summary.consoleErrorCount,
    startUrl: urls[0]?.[1].slice(0, MAX_START_URL).toWellFormed() ?? null,
    urls,
    activity: addActivity(recording.activity, summary.activity),
    parts: recording.parts + 1,
    bytes: recording.bytes + part.bytes,
    lastReceivedAt: Math.max(recording.lastReceivedAt, part.receivedAt)
  }
}
