import type { Replayer } from '@rrweb/replay'
import { toClock } from './clock.ts'
import type { Frame } from './frame.ts'
import { holdOnce, listenToKeys } from './keys.ts'
import { follow, listMoments as list } from './log.ts'
import { addressOf, listMoments, listPauses, type Pause } from './moments.ts'
import { find } from './page.ts'
import { hasPage, Pages } from './pages.ts'
import { drawPlayed, drawRail } from './rail.ts'
import { type Missing, openRecording, type Snapshot } from './read.ts'

/*
 * The page of a shared recording. It reads the recording and has the controls; the recorded page itself is rebuilt in an
 * iframe, whose document has a policy of its own.
 */

/** How often the position is shown, ms. */
const TICK = 200

/** How much of a pause is played at its beginning and its end if pauses are skipped, ms. */
const LEAD = 1_000

/** What is left free around the controls, pixels. */
const MARGIN = 32

/** rrweb's number of a snapshot of the whole page. */
const FULL_SNAPSHOT = 2

const stage = find('stage')
const page = find('page')
const url = find('url')
const lost = find('lost')
const status = find('status')
const screen = find('screen')
const header = find('header')
const about = find('about')
const bar = find('bar')
const play = find<HTMLButtonElement>('play')
const back = find<HTMLButtonElement>('back')
const forward = find<HTMLButtonElement>('forward')
const position = find<HTMLInputElement>('position')
const clock = find('clock')
const speed = find<HTMLSelectElement>('speed')
const skip = find<HTMLInputElement>('skip')
const full = find<HTMLButtonElement>('full')
const load = find<HTMLButtonElement>('load')
const windows = find('windows')
const choice = find<HTMLSelectElement>('window')

/** The snapshots loaded so far, of all windows. */
const loaded: Snapshot[] = []
/** The id of the window that is shown. */
let shownWindow: string | undefined
/** Prepares the snapshots of that window. */
let pages = new Pages()
/** The prepared snapshots of that window. */
let prepared: Snapshot[] = []
/** The addresses of its pages, each with its time, ms from the first page. */
let addresses: { time: number; address: string }[] = []
/** Its times without activity, once everything is loaded. */
let pauses: Pause[] = []
/** The pause into which the viewer went, which is not skipped. */
let chosen: Pause | undefined
let isLoaded = false
/** Why some of the recording is missing. */
let missing: Missing | undefined
/** The number of snapshots of which something could not be read, and those of which something could not be shown. */
let damaged = 0
const unshown = new Set<object>()
/** Whether the recorded site's images and styles are loaded. */
let isWithSite = false

/** The replayer in the current frame; undefined until the frame is ready. */
let replayer: Replayer | undefined
let isPlaying = true
/** Whether everything loaded so far has been played. */
let isAtEnd = false
/** Size of the recorded page, in pixels. */
let size = { width: 0, height: 0 }

/** Loads the document for the recorded page. `withSite` lets it load the site's images and styles. */
function openFrame(withSite: boolean): Promise<Frame> {
  const frame = document.createElement('iframe')
  frame.title = 'The recorded page'
  // Otherwise a viewer could follow a link of the recorded page, which would replace the page.
  frame.inert = true
  frame.src = withSite ? '/player/with-site' : '/player/frame'
  return new Promise((done) => {
    const listen = ({ source, origin }: MessageEvent) => {
      if (source === frame.contentWindow && origin === window.location.origin) {
        window.removeEventListener('message', listen)
        done((frame.contentWindow as unknown as { frame: Frame }).frame)
      }
    }
    window.addEventListener('message', listen)
    stage.replaceChildren(frame)
  })
}

/** Scales the recorded page to the room there is between what is above and below it. */
function scale(): void {
  const { width, height } = size
  const wrapper = replayer?.wrapper
  if (!wrapper || !width || !height) {
    return
  }
  const isFull = document.fullscreenElement !== null
  const [above, below] = isFull ? [page, bar] : [header, about]
  const others =
    below.getBoundingClientRect().bottom - above.getBoundingClientRect().top - stage.clientHeight
  const room = Math.max(window.innerHeight - others - MARGIN, window.innerHeight / 2)
  const factor = Math.min(
    (header.clientWidth || screen.clientWidth) / width,
    room / height,
    isFull ? 2 : 1
  )
  wrapper.style.transformOrigin = '0 0'
  wrapper.style.transform = `scale(${factor})`
  page.style.width = `${Math.round(width * factor)}px`
  stage.style.height = `${Math.round(height * factor)}px`
}

const length = (): number => Number(position.max)

/** `#t=12.5` → 12500 */
const linkedTime = (): number => {
  const seconds = Number(/[#&]t=(\d+(?:\.\d+)?)/.exec(window.location.hash)?.[1] ?? 0)
  return Math.min(seconds * 1000, length())
}

function show(): void {
  const now = Math.min(replayer?.getCurrentTime() ?? 0, length())
  position.value = String(now)
  position.ariaValueText = `${toClock(now)} of ${toClock(length())}`
  clock.textContent = `${toClock(now)} / ${toClock(length())}`
  const action = isPlaying ? 'Pause' : 'Play'
  play.ariaLabel = action
  play.title = `${action} (Space)`
  play.classList.toggle('is-playing', isPlaying)
  url.textContent = addresses.findLast(({ time }) => time <= now)?.address ?? ''
  drawPlayed(now, length())
  follow(now)
  skipPause(now)
}

/** Returns the pause in which a time is, unless it is close to its beginning or its end. */
const pauseAt = (time: number): Pause | undefined =>
  (isLoaded ? pauses : listPauses(prepared, pages.start ?? 0)).find(
    ({ from, until }) => from + LEAD < time && time < until - LEAD
  )

/**
 * Goes to the end of the pause that is being played, if pauses are skipped. rrweb would only begin to skip at the first change in
 * a pause, and take minutes for one of hours.
 */
function skipPause(now: number): void {
  const pause = isPlaying && skip.checked ? pauseAt(now) : undefined
  if (pause && pause.from !== chosen?.from) {
    go(pause.until - LEAD)
  }
}

function go(time: number, plays = isPlaying): void {
  isPlaying = plays
  isAtEnd = false
  const within = Math.max(Math.min(time, length()), pages.opening)
  if (plays) {
    replayer?.play(within)
  } else {
    replayer?.pause(within)
  }
  show()
}

/** Goes where the viewer wants to be. */
function seek(time: number): void {
  chosen = pauseAt(time)
  go(time)
}

function toggle(): void {
  const now = Number(position.value)
  go(now >= length() ? 0 : now, !isPlaying)
}

/** Rebuilds the recorded page in a new frame from what is loaded, and goes to `time`, ms. */
async function build(time: number): Promise<void> {
  replayer?.destroy()
  replayer = undefined
  const frame = await openFrame(isWithSite)
  replayer = frame.open({
    events: [...prepared] as Parameters<Frame['open']>[0]['events'],
    speed: Number(speed.value),
    onLoss: (event) => {
      unshown.add(event)
      if (Object(event).type === FULL_SNAPSHOT) {
        cover('This page cannot be shown.')
      }
      tell()
    }
  })
  replayer.on('fullsnapshot-rebuilded', () => cover(''))
  replayer.on('resize', (shown) => {
    size = shown as typeof size
    scale()
  })
  replayer.on('finish', () => {
    isAtEnd = true
    // Until everything is loaded, more may follow: `start` then continues to play.
    isPlaying = isPlaying && !isLoaded
    show()
  })
  go(time)
}

/** Returns the time from the first page to the last snapshot, ms. */
const lengthOf = (some: Snapshot[], start: number): number =>
  Math.max(0, (some.at(-1)?.timestamp ?? start) - start)

/** Shows a window: its snapshots, the length of the time line, and the list of moments. */
function choose(own: Snapshot[]): void {
  shownWindow = own[0]?.window
  pages = new Pages()
  prepared = pages.prepare(own)
  const start = pages.start ?? 0
  const moments = listMoments(own, start)
  pauses = listPauses(own, start)
  position.max = String(lengthOf(own, start))
  addresses = own.flatMap((snapshot) => {
    const address = addressOf(snapshot)
    const time = Math.max(0, snapshot.timestamp - start)
    return address ? [{ time, address: address.replace(/^https?:\/\//, '') }] : []
  })
  list(moments, seek)
  drawRail(length(), moments, pauses)
}

/** Lets the viewer choose a window if there are several. */
function offer(all: Snapshot[][]): void {
  windows.hidden = all.length < 2
  const starts = all.map((own) => own.find(({ type }) => type === FULL_SNAPSHOT)?.timestamp ?? 0)
  for (const [i, own] of all.entries()) {
    const text = `${i + 1}, from ${toClock((starts[i] ?? 0) - Math.min(...starts))}`
    choice.append(new Option(text, String(i), false, own[0]?.window === shownWindow))
  }
  choice.addEventListener('change', () => {
    choose(all[Number(choice.value)] ?? [])
    isPlaying = true
    build(0).catch(fail)
  })
}

/** Goes on at another speed, one step faster or slower. */
function changeSpeed(step: number): void {
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + step, 0), speed.options.length - 1)
  replayer?.setConfig({ speed: Number(speed.value) })
}

function listen(): void {
  const move = (ms: number) => seek(Number(position.value) + ms)
  play.addEventListener('click', toggle)
  back.addEventListener('click', () => move(-10_000))
  forward.addEventListener('click', () => move(10_000))
  position.addEventListener('input', () => seek(Number(position.value)))
  speed.addEventListener('change', () => changeSpeed(0))
  skip.addEventListener('change', () => {
    chosen = undefined
    show()
  })
  full.hidden = !document.fullscreenEnabled
  full.addEventListener('click', toggleFull)
  load.addEventListener('click', () => {
    load.disabled = true
    isWithSite = true
    build(Number(position.value)).catch(fail)
  })
  for (const control of [play, full]) {
    control.addEventListener('keydown', holdOnce)
  }
  listenToKeys({ toggle, move, changeSpeed, toggleFull })
  window.addEventListener('hashchange', () => seek(linkedTime()))
  window.addEventListener('resize', scale)
  window.setInterval(show, TICK)
  for (const control of [play, back, forward, position, speed, skip, full, load]) {
    control.disabled = false
  }
}

function toggleFull(): void {
  const changed = document.fullscreenElement
    ? document.exitFullscreen()
    : screen.requestFullscreen()
  changed.then(scale, () => undefined)
}

/** Adds snapshots to those loaded, and plays those of the first window. */
function take(more: Snapshot[]): void {
  loaded.push(...more)
  shownWindow ??= more[0]?.window
  for (const snapshot of pages.prepare(more.filter(({ window }) => window === shownWindow))) {
    prepared.push(snapshot)
    replayer?.addEvent(snapshot as Parameters<Replayer['addEvent']>[0])
  }
}

/** Whether enough is loaded to begin: a page, and snapshots beyond the time in the link. */
const isPlayable = (): boolean =>
  pages.start !== undefined && lengthOf(prepared, pages.start) > linkedTime()

const MISSING: Record<Missing, string> = {
  unreadable: 'A part of this recording cannot be loaded.',
  'too large': 'This recording is too large for this page. A part of it is left out.'
}

const NOTHING: Record<Missing | 'none', string> = {
  none: 'This recording shows no page.',
  unreadable: 'This recording cannot be loaded.',
  'too large': 'This recording is too large to be shown.'
}

/** Lists moments and windows once everything is loaded. @throws when there is no page to show */
function complete(): void {
  isLoaded = true
  loaded.sort((a, b) => a.timestamp - b.timestamp)
  const all = [...Map.groupBy(loaded, ({ window }) => window).values()].filter(hasPage)
  const own = all.find(([first]) => first?.window === shownWindow) ?? all[0]
  if (!own) {
    throw new Error(NOTHING[missing ?? (damaged > 0 ? 'unreadable' : 'none')])
  }
  choose(own)
  offer(all)
}

/** Plays as soon as there is a page to show, and loads the rest meanwhile. */
async function start(): Promise<void> {
  const { end, parts } = await openRecording(window.location.pathname.replace(/\/$/, ''))
  let begun: number | undefined
  const open = async () => {
    begun = pages.start
    await build(linkedTime())
    listen()
    cover('')
  }
  for await (const part of parts) {
    missing ??= part.missing
    damaged += part.damaged
    take(part.snapshots)
    if (begun === undefined) {
      position.max = String(Math.max(0, end - (pages.start ?? end)))
    }
    if (begun === undefined && isPlayable()) {
      await open()
    }
  }
  complete()
  if (begun === undefined) {
    await open()
  } else if (pages.start !== begun) {
    // A part that came late has an earlier page.
    await build(Number(position.value))
  } else if (isAtEnd && isPlaying) {
    go(Number(position.value))
  }
  tell()
}

/** Says what is not shown. */
function tell(): void {
  const count = damaged + unshown.size
  const changes = count === 1 ? 'One change' : `${count} changes`
  say(
    [
      missing ? MISSING[missing] : '',
      count > 0 ? `${changes} of the page cannot be shown.` : ''
    ].join(' ')
  )
}

function say(words: string): void {
  status.hidden = words.trim() === ''
  status.textContent = words
}

/** Writes words where the recorded page would be. */
function cover(words: string): void {
  lost.hidden = words === ''
  lost.textContent = words
}

const fail = (error: unknown): void =>
  cover(error instanceof Error ? error.message : 'The recording cannot be played.')

start().catch(fail)
