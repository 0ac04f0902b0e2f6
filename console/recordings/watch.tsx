import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { toClock, toSeconds } from '../../player/clock.ts'
import type { OutsideMoment } from '../../player/playback.ts'
import { addressOf, go, parameters } from '../address.ts'
import { call, callText } from '../api.ts'
import type { EventList } from '../events/api.ts'
import { Icon } from '../icons.tsx'
import { Share } from '../insights/share.tsx'
import { useLoaded } from '../loaded.ts'
import { Avatar, Empty, Fault, Moment, Name } from '../parts.tsx'
import { may } from '../session.ts'
import { count, durationOf, exactly, longDay, nameOf, timeOf } from '../words.ts'
import {
  type Recording,
  type RecordingList,
  type SimilarList,
  visitFacts,
  visitorOf
} from './api.ts'
import { readWanted, writeWanted } from './filters.ts'
import { see } from './load.ts'
import { momentsOf, pagesOf, type Visited } from './moments.ts'
import type { Playback } from './play.ts'

type WatchProps = {
  id: string
  /** The recording, if the list has it. */
  known: Recording | undefined
  /** Opens the next recording; undefined at the end of the list. */
  next: (() => void) | undefined
  /** The address of the list. */
  list: string
}

/** One recording: the player, what is known of it, and its log. */
export function Watch({ id, known, next, list }: WatchProps) {
  const loaded = useLoaded<Recording>(id, (signal) =>
    known
      ? Promise.resolve(known)
      : call('GET', `session_recordings/${encodeURIComponent(id)}/`, { signal })
  )
  const recording = known ?? loaded.data
  if (loaded.error && !recording) {
    return (
      <section class="col rec-none" aria-label="Player">
        {loaded.error.status === 404 ? (
          <Empty title="This recording does not exist.">
            <p class="sec">It was deleted, or is older than recordings are kept.</p>
            <a class="b" href={list}>
              Show the list
            </a>
          </Empty>
        ) : (
          <Fault error={loaded.error} retry={loaded.reload} />
        )}
      </section>
    )
  }
  return recording ? (
    <Player key={id} recording={recording} next={next} list={list} />
  ) : (
    <section class="col" aria-label="Player" />
  )
}

type PlayerProps = { recording: Recording; next: WatchProps['next']; list: string }

/** The address of a moment of a recording, in the list that is open. */
const addressAt = (id: string, seconds?: number): string =>
  addressOf(['recordings', id], {
    ...writeWanted(readWanted(parameters.value)),
    t: seconds === undefined ? undefined : String(seconds)
  })

/** Events of a visit that are listed beside the recording. */
const MAX_EVENTS = '1000'

/** Time before the first snapshot within which the first events of the visit are, ms. */
const BEFORE_MS = 60_000

function Player({ recording, next, list }: PlayerProps) {
  const { id } = recording
  const parts = useRef<HTMLDivElement>(null)
  const site = useRef<HTMLParagraphElement>(null)
  const playback = useRef<Playback | undefined>(undefined)
  const isUnreachable = useSignal(false)
  const listed = useSignal<Listed>({ pages: [], events: 0, lines: 0 })
  const t = parameters.value.get('t') ?? undefined
  /** The time that the address had or got last: another one comes from a link or the history. */
  const placed = useRef(t)
  /** The events to list: they may arrive before the player or after it. */
  const outside = useRef<OutsideMoment[]>([])
  const sharedAt = useSignal<number | undefined>(undefined)
  const events = useLoaded<EventList>(id, (signal) =>
    may('query:read')
      ? call('GET', 'events/', {
          query: {
            session_id: id,
            after: new Date(Date.parse(recording.start_time) - BEFORE_MS).toISOString(),
            order: 'asc',
            limit: MAX_EVENTS
          },
          signal
        })
      : Promise.resolve({ results: [], next: null, searched_until: null })
  )
  const place = (time: number) => {
    placed.current = String(toSeconds(time))
    go(addressAt(id, toSeconds(time)), { replace: true })
  }
  const seek = (time: number) => {
    playback.current?.seek(time)
    place(time)
  }
  useEffect(() => {
    const ended = new AbortController()
    const begin = async () => {
      const { play } = await import('./play.ts')
      if (ended.signal.aborted || !parts.current || !site.current) {
        return
      }
      playback.current = play(parts.current, site.current, {
        load: (key) =>
          callText('GET', `session_recordings/${encodeURIComponent(id)}/snapshots/`, {
            query: { blob_key: key },
            signal: ended.signal
          }),
        begin: secondsOf(t) * 1000,
        hasLetters: false,
        hrefOf: (time) => addressAt(id, toSeconds(time)),
        onPlace: place,
        heightOf: heightForPlayer,
        onListed: (moments, length) => {
          listed.value = {
            pages: pagesOf(moments, length),
            events: moments.filter(({ kind }) => kind !== 'console').length,
            lines: moments.filter(({ kind }) => kind === 'console' || kind === 'error').length
          }
        }
      })
      playback.current.note(outside.current)
    }
    begin().catch(() => {
      isUnreachable.value = true
    })
    see(id)
    void markViewed(recording)
    return () => {
      ended.abort()
      playback.current?.destroy()
      playback.current = undefined
    }
  }, [])
  useEffect(() => {
    outside.current = momentsOf(events.data?.results ?? [])
    playback.current?.note(outside.current)
  }, [events.data])
  useEffect(() => {
    if (t !== placed.current) {
      placed.current = t
      playback.current?.seek(secondsOf(t) * 1000)
    }
  }, [t])
  const visit = visitFacts(events.data?.results ?? [])
  return (
    <>
      <section class="col rec-player" aria-label="Player">
        <div id="screen">
          <header id="header" class="col-head">
            <a class="b icon quiet small phone-only" aria-label="Back to the list" href={list}>
              <Icon name="back" small />
            </a>
            <Who recording={recording} visit={visit} />
            <button
              type="button"
              class="b small"
              title="Next recording (n)"
              disabled={next === undefined}
              onClick={next}
            >
              <span>
                Next <kbd>n</kbd>
              </span>
              <i class="phone-only">
                <Icon name="next" small />
              </i>
            </button>
            {may('sharing_configuration:read') && (
              <button
                type="button"
                class="b small"
                aria-label="Share"
                onClick={() => {
                  sharedAt.value = playback.current?.time ?? 0
                }}
              >
                <Icon name="share" small />
                <span>Share</span>
              </button>
            )}
          </header>
          {isUnreachable.value ? (
            <Empty title="The player cannot be loaded.">
              <p class="sec">The connection is lost, or there is a newer version of the console.</p>
              <button type="button" class="b" onClick={() => location.reload()}>
                Reload
              </button>
            </Empty>
          ) : (
            <div class="rec-parts" ref={parts}>
              <div class="rec-wait" />
            </div>
          )}
          <About recording={recording} pages={listed.value.pages} seek={seek} />
          <p class="site" ref={site} />
          <Similar id={id} />
        </div>
      </section>
      <Log listed={listed.value} />
      {sharedAt.value !== undefined && (
        <Share
          subject={{ kind: 'recording', id, name: visitorOf(recording) }}
          at={sharedAt.value}
          close={() => {
            sharedAt.value = undefined
          }}
        />
      )}
    </>
  )
}

/** Height of the bar below the pages on a phone, pixels. */
const TAB_BAR = 56

/** Returns the height in which the player has to fit: that of its column, or of a phone. */
const heightForPlayer = (): number =>
  matchMedia('(max-width: 720px)').matches
    ? innerHeight - TAB_BAR
    : (document.getElementById('screen')?.clientHeight ?? innerHeight)

/** What the log has. An error of the console is listed among events, too. */
type Listed = { pages: Visited[]; events: number; lines: number }

const secondsOf = (t: string | undefined): number => Math.max(0, Number(t ?? 0) || 0)

/** Tells colleagues that someone has seen the recording. It is not worth a fault. */
const markViewed = async ({ id, viewed }: Recording): Promise<void> => {
  if (!viewed && may('session_recording:write')) {
    const path = `session_recordings/${encodeURIComponent(id)}/`
    await call('PATCH', path, { body: { viewed: true } }).catch(() => {})
  }
}

function Who({ recording, visit }: { recording: Recording; visit: string[] }) {
  const { person } = recording
  const name = visitorOf(recording)
  const start = new Date(recording.start_time)
  return (
    <>
      <Avatar name={name === 'Anonymous' ? undefined : name} />
      <div class="grow cut rec-who">
        {person.id !== null && may('person:read') ? (
          <a href={addressOf(['persons', person.uuid])}>
            <Name>{name}</Name>
          </a>
        ) : (
          <b>
            <Name>{name}</Name>
          </b>
        )}
        <p class="mut cut">
          <time dateTime={recording.start_time} title={exactly(start)}>
            {longDay(start)}, {timeOf(start)}
          </time>
          <bdi title={visit.join(', ')}>{visit.map((fact) => `, ${fact}`).join('')}</bdi>
        </p>
      </div>
    </>
  )
}

type AboutProps = { recording: Recording; pages: Visited[]; seek: (time: number) => void }

/** Pages that are shown below the player. */
const MAX_PAGES = 12

function About({ recording, pages, seek }: AboutProps) {
  const { click_count, keypress_count, console_error_count, active_seconds } = recording
  const numbers: [name: string, value: string, isHot?: boolean][] = [
    ['Clicks', count(click_count)],
    ['Inputs', count(keypress_count)],
    ['Errors', count(console_error_count), console_error_count > 0],
    ['Active', durationOf(active_seconds)]
  ]
  return (
    <div class="rec-about">
      <h3 class="vh">In this recording</h3>
      <dl>
        {numbers.map(([name, value, isHot]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={isHot ? 'hot' : ''}>{value}</dd>
          </div>
        ))}
      </dl>
      {pages.length > 0 && (
        <ol class="rec-pages" aria-label="Pages">
          {pages.slice(0, MAX_PAGES).map(({ page, from, until }) => (
            <li key={from}>
              <a
                class="cut"
                href={addressAt(recording.id, toSeconds(from))}
                onClick={(event) => {
                  if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
                    event.preventDefault()
                    seek(from)
                  }
                }}
              >
                <Name>{page}</Name>
              </a>
              <span>
                {toClock(from)} – {toClock(until)}
              </span>
            </li>
          ))}
          {pages.length > MAX_PAGES && (
            <li class="mut">and {pages.length - MAX_PAGES} more in the log</li>
          )}
        </ol>
      )}
    </div>
  )
}

/** Similar recordings that are shown. */
const MAX_SIMILAR = '5'

type Likened = { recording: Recording; similarity: number; steps: string[] }

type Found = { likened: Likened[]; reason: string | null }

async function findSimilar(id: string, signal: AbortSignal): Promise<Found> {
  const { results, reason } = await call<SimilarList>(
    'GET',
    `session_recordings/${encodeURIComponent(id)}/analyze/similar/`,
    { query: { limit: MAX_SIMILAR }, signal }
  )
  if (results.length === 0) {
    return { likened: [], reason }
  }
  const ids = JSON.stringify(results.map((one) => one.id))
  const query = { session_ids: ids }
  const list = await call<RecordingList>('GET', 'session_recordings/', { query, signal })
  const likened = results.flatMap(({ id: other, similarity, shared_steps: steps }) => {
    const recording = list.results.find((one) => one.id === other)
    return recording ? [{ recording, similarity, steps }] : []
  })
  return { likened, reason }
}

/** `['$pageview /signup', 'signed up']` → `/signup, signed up` */
const stepWords = (steps: string[]): string =>
  [...new Set(steps.map((step) => nameOf(step.replace(/^\$pageview (?=.)/, ''))))].join(', ')

const percent = (share: number): string =>
  new Intl.NumberFormat(undefined, { style: 'percent' }).format(share)

function Similar({ id }: { id: string }) {
  const { data, error, reload } = useLoaded(id, (signal) => findSimilar(id, signal))
  return (
    <div class="rec-similar">
      <h3>Similar</h3>
      {error && <Fault error={error} retry={reload} />}
      {data && data.likened.length > 0 && (
        <ul class="sim">
          {data.likened.map(({ recording, similarity, steps }) => (
            <li key={recording.id}>
              <a class="cut" href={addressAt(recording.id)}>
                <Name>{visitorOf(recording)}</Name>
              </a>
              <Moment at={recording.start_time} />
              <span>{durationOf(recording.recording_duration)}</span>
              <span class="cut mut">
                <Name>{`${percent(similarity)} alike: ${stepWords(steps)}`}</Name>
              </span>
            </li>
          ))}
        </ul>
      )}
      {data && data.likened.length === 0 && (
        <p class="mut">{data.reason ?? 'No other recording is similar.'}</p>
      )}
    </div>
  )
}

/** The pages, clicks and events, or the lines of the console, beside the timeline. The player fills and moves the list. */
function Log({ listed }: { listed: Listed }) {
  const isConsole = useSignal(false)
  const tab = (name: string, number: number, isOn: boolean, value: boolean) => (
    <button
      type="button"
      role="tab"
      aria-selected={isOn}
      aria-controls="moments"
      onClick={() => {
        isConsole.value = value
      }}
    >
      {name} <span class="count">{count(number)}</span>
    </button>
  )
  return (
    <section class="col rec-log" aria-label="Log">
      <div class="tabs" role="tablist" aria-label="Log">
        {tab('Events', listed.events, !isConsole.value, false)}
        {tab('Console', listed.lines, isConsole.value, true)}
      </div>
      <ol id="moments" class={isConsole.value ? 'only-console' : 'only-events'} />
      {(isConsole.value ? listed.lines : listed.events) === 0 && (
        <p class="mut rec-empty-log">
          {isConsole.value ? 'The console has no lines.' : 'No events.'}
        </p>
      )}
    </section>
  )
}
