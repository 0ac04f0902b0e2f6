import type { Replayer } from '@rrweb/replay'
import type { Frame } from './frame.ts'
import { listMoments } from './moments.ts'
import { type Missing, openRecording, type Snapshot } from './read.ts'

/*
 * The page of a shared recording. It reads the recording and has the controls; the recorded page itself is rebuilt in an
 * iframe, whose document has a policy of its own.
 */

/** How often the position is shown, ms. */
const TICK = 200

/** rrweb's number of a snapshot of the whole page. */
const FULL_SNAPSHOT = 2

const find = <T extends HTMLElement>(id: string): T => {
  const found = document.getElementById(id)
  if (!found) {
    throw new Error(`The page has no #${id}.`)
  }
  return found as T
}

const stage = find('stage')
const status = find('status')
const play = find<HTMLButtonElement>('play')
const position = find<HTMLInputElement>('position')
const clock = find('clock')
const speed = find<HTMLSelectElement>('speed')
const skip = find<HTMLInputElement>('skip')
const load = find<HTMLButtonElement>('load')
const windows = find('windows')
const choice = find<HTMLSelectElement>('window')
const moments = find('moments')

/** The snapshots loaded so far, of all windows. */
const loaded: Snapshot[] = []
/** The snapshots of the window that is shown. */
let snapshots: Snapshot[] = []
let isLoaded = false
/** Whether the recorded site's images and styles are loaded. */
let isWithSite = false

/** The replayer in the current frame; undefined until the frame is ready. */
let replayer: Replayer | undefined
let isPlaying = true
/** Whether everything loaded so far has been played. */
let isAtEnd = false
/** Size of the recorded page, in pixels. */
let size = { width: 0, height: 0 }

/** `83456` → `1:23` */
const toClock = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

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

/** Scales the recorded page to the width of the stage. */
function scale(): void {
  const { width, height } = size
  const wrapper = replayer?.wrapper
  if (!wrapper || !width || !height) {
    return
  }
  const factor = Math.min(stage.clientWidth / width, (window.innerHeight * 0.7) / height, 1)
  wrapper.style.transformOrigin = '0 0'
  wrapper.style.transform = `scale(${factor})`
  wrapper.style.marginLeft = `${(stage.clientWidth - width * factor) / 2}px`
  stage.style.height = `${Math.ceil(height * factor)}px`
}

/** `#t=12.5` → 12500 */
const linkedTime = (): number => {
  const seconds = Number(/[#&]t=(\d+(?:\.\d+)?)/.exec(window.location.hash)?.[1] ?? 0)
  return Math.min(seconds * 1000, Number(position.max))
}

function show(): void {
  const now = Math.min(replayer?.getCurrentTime() ?? 0, Number(position.max))
  position.value = String(now)
  position.ariaValueText = toClock(now)
  clock.textContent = `${toClock(now)} / ${toClock(Number(position.max))}`
  play.textContent = isPlaying ? 'Pause' : 'Play'
}

function go(time: number, plays = isPlaying): void {
  isPlaying = plays
  isAtEnd = false
  if (plays) {
    replayer?.play(time)
  } else {
    replayer?.pause(time)
  }
  show()
}

/** Rebuilds the recorded page in a new frame from what is loaded, and goes to `time`, ms. */
async function build(time: number): Promise<void> {
  replayer?.destroy()
  replayer = undefined
  const frame = await openFrame(isWithSite)
  const events = [...snapshots] as Parameters<Frame['open']>[0]
  replayer = frame.open(events, Number(speed.value), skip.checked)
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

/** Whether enough is loaded to begin: a page, and snapshots beyond the time in the link. */
function isPlayable(): boolean {
  return hasPage(snapshots) && lengthOf(snapshots) > linkedTime()
}

const hasPage = (some: Snapshot[]): boolean => some.some(({ type }) => type === FULL_SNAPSHOT)

/** Returns the time from the first to the last snapshot, ms. */
const lengthOf = (some: Snapshot[]): number =>
  (some.at(-1)?.timestamp ?? 0) - (some[0]?.timestamp ?? 0)

/** Shows a window's snapshots: the length of the time line, and the list of moments. */
function choose(own: Snapshot[]): void {
  snapshots = own
  position.max = String(lengthOf(own))
  moments.replaceChildren()
  for (const { time, kind, text } of listMoments(snapshots)) {
    const link = document.createElement('a')
    link.href = `#t=${Math.floor(time / 100) / 10}`
    const at = document.createElement('span')
    at.textContent = toClock(time)
    link.append(at, ` ${text}`)
    // If the address already has this hash, a click does not change it, and `hashchange` is not fired.
    link.addEventListener('click', () => {
      if (link.hash === window.location.hash) {
        go(linkedTime())
      }
    })
    const item = document.createElement('li')
    item.className = kind
    item.append(link)
    moments.append(item)
  }
}

/** Lets the viewer choose a window if there are several. */
function offer(all: Snapshot[][]): void {
  windows.hidden = all.length < 2
  for (const [i, own] of all.entries()) {
    const begin = (own[0]?.timestamp ?? 0) - (loaded[0]?.timestamp ?? 0)
    const text = `${i + 1}, from ${toClock(begin)}`
    choice.append(new Option(text, String(i), false, own[0]?.window === snapshots[0]?.window))
  }
  choice.addEventListener('change', () => {
    choose(all[Number(choice.value)] ?? snapshots)
    isPlaying = true
    build(0).catch(fail)
  })
}

function listen(): void {
  play.addEventListener('click', () => {
    const now = Number(position.value)
    go(now >= Number(position.max) ? 0 : now, !isPlaying)
  })
  position.addEventListener('input', () => go(Number(position.value)))
  speed.addEventListener('change', () => replayer?.setConfig({ speed: Number(speed.value) }))
  skip.addEventListener('change', () => replayer?.setConfig({ skipInactive: skip.checked }))
  load.addEventListener('click', () => {
    load.disabled = true
    isWithSite = true
    build(Number(position.value)).catch(fail)
  })
  window.addEventListener('hashchange', () => go(linkedTime()))
  window.addEventListener('resize', scale)
  window.setInterval(show, TICK)
  for (const control of [play, position, speed, skip, load]) {
    control.disabled = false
  }
}

/** Adds snapshots to those loaded, and plays those of the first window. */
function take(more: Snapshot[]): void {
  for (const snapshot of more) {
    loaded.push(snapshot)
    if (snapshot.window === loaded[0]?.window) {
      snapshots.push(snapshot)
      replayer?.addEvent(snapshot as Parameters<Replayer['addEvent']>[0])
    }
  }
}

const MISSING: Record<Missing, string> = {
  unreadable: 'A part of this recording cannot be loaded.',
  'too large': 'This recording is too large for this page. A part of it is left out.'
}

const NOTHING: Record<Missing, string> = {
  unreadable: 'This recording cannot be loaded.',
  'too large': 'This recording is too large to be shown.'
}

/** Lists moments and windows once everything is loaded. @throws when there is no page to show */
function complete(missing: Missing | undefined): void {
  isLoaded = true
  loaded.sort((a, b) => a.timestamp - b.timestamp)
  const all = [...Map.groupBy(loaded, ({ window }) => window).values()].filter(
    (own) => hasPage(own) && lengthOf(own) > 0
  )
  const own = all.find(([first]) => first?.window === snapshots[0]?.window) ?? all[0]
  if (!own) {
    throw new Error(missing ? NOTHING[missing] : 'This recording shows no page.')
  }
  choose(own)
  offer(all)
}

/** Plays as soon as there is a page to show, and loads the rest meanwhile. */
async function start(): Promise<void> {
  const { end, parts } = await openRecording(window.location.pathname.replace(/\/$/, ''))
  let missing: Missing | undefined
  let isOpen = false
  const open = async () => {
    isOpen = true
    await build(linkedTime())
    listen()
    say('')
  }
  for await (const part of parts) {
    missing ??= part.missing
    take(part.snapshots)
    if (!isOpen) {
      position.max = String(Math.max(0, end - (snapshots[0]?.timestamp ?? end)))
    }
    if (!isOpen && isPlayable()) {
      await open()
    }
  }
  complete(missing)
  if (!isOpen) {
    await open()
  } else if (isAtEnd && isPlaying) {
    go(Number(position.value))
  }
  say(missing ? MISSING[missing] : '')
}

function say(words: string): void {
  status.hidden = words === ''
  status.textContent = words
}

const fail = (error: unknown): void =>
  say(error instanceof Error ? error.message : 'The recording cannot be played.')

start().catch(fail)
