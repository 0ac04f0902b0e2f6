import type { Replayer } from '@rrweb/replay'
import type { Frame } from './frame.ts'
import { listMoments } from './moments.ts'
import { openRecording, type Snapshot } from './read.ts'

/*
 * The page behind the link of a shared recording. It reads the recording and has the controls; the recorded page itself is
 * rebuilt in an iframe, whose document has a policy of its own.
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
const moments = find('moments')

/** What is loaded of the recording. */
const snapshots: Snapshot[] = []
let isLoaded = false

/** Plays in the present frame; undefined until that is ready. */
let replayer: Replayer | undefined
let isPlaying = true
/** Whether all that was loaded has been played. */
let isAtEnd = false
/** Pixels of the recorded page. */
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
  // A link of the recorded page that someone follows would replace the page.
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

/** Rebuilds the recorded page, as far as it is loaded, in a new frame. */
async function build(withSite: boolean, time: number): Promise<void> {
  replayer = undefined
  const frame = await openFrame(withSite)
  const events = [...snapshots] as Parameters<Frame['open']>[0]
  replayer = frame.open(events, Number(speed.value), skip.checked)
  replayer.on('resize', (shown) => {
    size = shown as typeof size
    scale()
  })
  replayer.on('finish', () => {
    isAtEnd = true
    isPlaying = isPlaying && !isLoaded
    show()
  })
  go(time)
}

/** Whether there is a page to show at the moment from which to play. */
function isPlayable(): boolean {
  const [first, last] = [snapshots[0], snapshots.at(-1)]
  const loaded = first && last ? last.timestamp - first.timestamp : 0
  return snapshots.some(({ type }) => type === FULL_SNAPSHOT) && loaded > linkedTime()
}

function list(): void {
  for (const { time, kind, text } of listMoments(snapshots)) {
    const link = document.createElement('a')
    link.href = `#t=${Math.floor(time / 100) / 10}`
    const at = document.createElement('span')
    at.textContent = toClock(time)
    link.append(at, ` ${text}`)
    // A link to where the address already leads changes nothing, so no event of the address follows.
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
    replayer?.destroy()
    build(true, Number(position.value)).catch(fail)
  })
  window.addEventListener('hashchange', () => go(linkedTime()))
  window.addEventListener('resize', scale)
  window.setInterval(show, TICK)
  for (const control of [play, position, speed, skip, load]) {
    control.disabled = false
  }
}

/** Returns how long the loaded recording lasts, ms. @throws when it shows no page */
function measure(isWhole: boolean): number {
  const [first, last] = [snapshots[0], snapshots.at(-1)]
  if (!first || !last || first === last || !snapshots.some(({ type }) => type === FULL_SNAPSHOT)) {
    throw new Error(isWhole ? 'This recording shows no page.' : 'This recording cannot be loaded.')
  }
  return last.timestamp - first.timestamp
}

/** Plays as soon as there is a page to show, and loads the rest meanwhile. */
async function start(): Promise<void> {
  const { end, parts } = await openRecording(window.location.pathname.replace(/\/$/, ''))
  let isWhole = true
  let isOpen = false
  const open = async () => {
    isOpen = true
    await build(false, linkedTime())
    listen()
    say('')
  }
  for await (const part of parts) {
    isWhole &&= part.isWhole
    for (const snapshot of part.snapshots) {
      snapshots.push(snapshot)
      replayer?.addEvent(snapshot as Parameters<Replayer['addEvent']>[0])
    }
    if (!isOpen) {
      position.max = String(Math.max(0, end - (snapshots[0]?.timestamp ?? end)))
    }
    if (!isOpen && isPlayable()) {
      await open()
    }
  }
  isLoaded = true
  snapshots.sort((a, b) => a.timestamp - b.timestamp)
  position.max = String(measure(isWhole))
  list()
  if (!isOpen) {
    await open()
  } else if (isAtEnd && isPlaying) {
    go(Number(position.value))
  }
  say(isWhole ? '' : 'A part of this recording cannot be loaded.')
}

function say(words: string): void {
  status.hidden = words === ''
  status.textContent = words
}

const fail = (error: unknown): void =>
  say(error instanceof Error ? error.message : 'The recording cannot be played.')

start().catch(fail)
