import type { Replayer } from '@rrweb/replay'
import type { Frame } from './frame.ts'
import { listMoments } from './moments.ts'
import { readRecording, type Snapshot } from './read.ts'

/*
 * The page behind the link of a shared recording. It reads the recording and has the controls; the recorded page itself is
 * rebuilt in an iframe, whose document has a policy of its own.
 */

/** How often the position is shown, ms. */
const TICK = 200

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

let replayer: Replayer | undefined
let isPlaying = false

/** `83456` → `1:23` */
const toClock = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Loads the document for the recorded page. `withSite` lets it load the site's images and styles. */
function openFrame(withSite: boolean): Promise<Frame> {
  const frame = document.createElement('iframe')
  frame.title = 'The recorded page'
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
function scale({ width, height }: { width: number; height: number }): void {
  const wrapper = replayer?.wrapper
  if (!wrapper || !width || !height) {
    return
  }
  const factor = Math.min(stage.clientWidth / width, (window.innerHeight * 0.7) / height, 1)
  wrapper.style.transformOrigin = '0 0'
  wrapper.style.transform = `scale(${factor})`
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
  clock.textContent = `${toClock(now)} / ${toClock(Number(position.max))}`
  play.textContent = isPlaying ? 'Pause' : 'Play'
}

function go(time: number, plays = isPlaying): void {
  isPlaying = plays
  if (plays) {
    replayer?.play(time)
  } else {
    replayer?.pause(time)
  }
  show()
}

async function build(events: Snapshot[], withSite: boolean, time: number): Promise<void> {
  const frame = await openFrame(withSite)
  let size = { width: 0, height: 0 }
  replayer = frame.open(events as Parameters<Frame['open']>[0], Number(speed.value), skip.checked)
  replayer.on('resize', (shown) => {
    size = shown as typeof size
    scale(size)
  })
  replayer.on('finish', () => {
    isPlaying = false
    show()
  })
  window.addEventListener('resize', () => scale(size))
  position.max = String(replayer.getMetaData().totalTime)
  go(time, true)
}

async function start(): Promise<void> {
  const events = await readRecording(window.location.pathname.replace(/\/$/, ''))
  if (events.length < 2 || !events.some(({ type }) => type === 2)) {
    throw new Error('This recording shows no page.')
  }
  const first = events[0]?.timestamp ?? 0
  position.max = String((events.at(-1)?.timestamp ?? first) - first)
  await build(events, false, linkedTime())
  status.hidden = true

  for (const { time, kind, text } of listMoments(events)) {
    const link = document.createElement('a')
    link.href = `#t=${Math.floor(time / 100) / 10}`
    link.textContent = `${toClock(time)} ${text}`
    const item = document.createElement('li')
    item.className = kind
    item.append(link)
    moments.append(item)
  }
  play.addEventListener('click', () => {
    const isAtEnd = Number(position.value) >= Number(position.max)
    go(isAtEnd ? 0 : Number(position.value), !isPlaying)
  })
  position.addEventListener('input', () => go(Number(position.value)))
  speed.addEventListener('change', () => replayer?.setConfig({ speed: Number(speed.value) }))
  skip.addEventListener('change', () => replayer?.setConfig({ skipInactive: skip.checked }))
  load.addEventListener('click', () => {
    load.disabled = true
    replayer?.destroy()
    build(events, true, Number(position.value)).catch(fail)
  })
  window.addEventListener('hashchange', () => go(linkedTime()))
  window.setInterval(show, TICK)
  for (const control of [play, position, speed, skip, load]) {
    control.disabled = false
  }
}

function fail(error: unknown): void {
  status.hidden = false
  status.textContent = error instanceof Error ? error.message : 'The recording cannot be played.'
}

start().catch(fail)
