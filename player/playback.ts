import type { Replayer } from '@rrweb/replay'
import { toClock } from './clock.ts'
import type { Frame } from './frame.ts'
import { holdOnce, listenToKeys } from './keys.ts'
import { Log } from './log.ts'
import { addressOf, listMoments, listPauses, type Moment, type Pause } from './moments.ts'
import { find } from './page.ts'
import { hasPage, Pages } from './pages.ts'
import { Rail } from './rail.ts'
import { type LoadPart, type Missing, openRecording, type Snapshot } from './read.ts'

/*
 * Plays a recording on the page of a shared recording, and on the console's. It reads the recording and has the controls; the
 * recorded page itself is rebuilt in an iframe, whose document has a policy of its own.
 */

/** How often the position is shown, ms. */
const TICK = 200

/** How much of a pause is played at its beginning and its end if pauses are skipped, ms. */
const LEAD = 1_000

/** What is left free around the controls, pixels. */
const MARGIN = 32

/** Time after the viewer's last move until the place counts as chosen, ms. Browsers refuse an address that changes faster. */
const SETTLED = 400

/** rrweb's number of a snapshot of the whole page. */
const FULL_SNAPSHOT = 2

/** What is played, and where. */
export type Showing = {
  load: LoadPart
  /** Where to begin, ms from the first page. */
  begin: number
  /** Whether the player listens to letters of the keyboard too. */
  hasLetters: boolean
  /** Returns the address of a time of the recording, ms from the first page. */
  hrefOf(time: number): string
  /** Called with the place to which the viewer has gone, or at which the viewer has paused, ms. */
  onPlace(time: number): void
  /** Returns the height in which the page and its controls have to fit, if it is not the window's, pixels. */
  heightOf?(): number
  /** Called with the moments and the length of the window that is shown, once everything is loaded. */
  onListed?(moments: Moment[], length: number): void
}

/** A moment that is not part of the recording, at `at` ms UTC. */
export type OutsideMoment = Omit<Moment, 'time'> & { at: number }

const MISSING: Record<Missing, string> = {
  unreadable: 'A part of this recording cannot be loaded.',
  'too large': 'This recording is too large for this page. A part of it is left out.'
}

const NOTHING: Record<Missing | 'none', string> = {
  none: 'This recording shows no page.',
  unreadable: 'This recording cannot be loaded.',
  'too large': 'This recording is too large to be shown.'
}

/** Returns the time from the first page to the last snapshot, ms. */
const lengthOf = (some: Snapshot[], start: number): number =>
  Math.max(0, (some.at(-1)?.timestamp ?? start) - start)

/** Time between an event and its record in the recording, ms. */
const SAME = 1_000

/** Whether a recording has the event of a moment, too. */
const isRecorded = ({ name, time }: Moment, own: Moment[]): boolean =>
  own.some((one) => one.name === name && Math.abs(one.time - time) <= SAME)

/** Plays a recording in the elements of the page, which it finds by their ids. */
export class Playback {
  readonly #stage = find('stage')
  readonly #page = find('page')
  readonly #url = find('url')
  readonly #lost = find('lost')
  readonly #status = find('status')
  readonly #screen = find('screen')
  readonly #header = find('header')
  readonly #bar = find('bar')
  readonly #play = find<HTMLButtonElement>('play')
  readonly #back = find<HTMLButtonElement>('back')
  readonly #forward = find<HTMLButtonElement>('forward')
  readonly #position = find<HTMLInputElement>('position')
  readonly #clock = find('clock')
  readonly #speed = find<HTMLSelectElement>('speed')
  readonly #skip = find<HTMLInputElement>('skip')
  readonly #full = find<HTMLButtonElement>('full')
  readonly #load = find<HTMLButtonElement>('load')
  readonly #windows = find('windows')
  readonly #choice = find<HTMLSelectElement>('window')
  /** What has to fit into the window together with the page. */
  readonly #below = document.getElementById('about') ?? this.#bar
  readonly #rail = new Rail()
  readonly #log: Log

  readonly #showing: Showing
  /** Ends the player. */
  readonly #end = new AbortController()

  /** The snapshots loaded so far, of all windows. */
  readonly #loaded: Snapshot[] = []
  /** The moments that are not part of the recording. */
  #outside: OutsideMoment[] = []
  /** The snapshots of the window that is shown, and its id. */
  #own: Snapshot[] = []
  #shownWindow: string | undefined
  /** Prepares the snapshots of that window. */
  #pages = new Pages()
  /** The prepared snapshots of that window. */
  #prepared: Snapshot[] = []
  /** The addresses of its pages, each with its time, ms from the first page. */
  #addresses: { time: number; address: string }[] = []
  /** Its times without activity, once everything is loaded. */
  #pauses: Pause[] = []
  /** The pause into which the viewer went, which is not skipped. */
  #chosen: Pause | undefined
  #isLoaded = false
  /** Why some of the recording is missing. */
  #missing: Missing | undefined
  /** The number of snapshots of which something could not be read, and those of which something could not be shown. */
  #damaged = 0
  readonly #unshown = new Set<object>()
  /** Whether the recorded site's images and styles are loaded. */
  #isWithSite = false

  /** Where the next replayer begins, ms. */
  #begin: number
  /** The replayer in the current frame; undefined until the frame is ready. */
  #replayer: Replayer | undefined
  #isPlaying = true
  /** Whether everything loaded so far has been played. */
  #isAtEnd = false
  /** Size of the recorded page, in pixels. */
  #size = { width: 0, height: 0 }
  #settling: ReturnType<typeof setTimeout> | undefined

  constructor(showing: Showing) {
    this.#showing = showing
    this.#begin = showing.begin
    const going = {
      hrefOf: showing.hrefOf,
      go: (time: number) => {
        this.seek(time)
        this.#settle()
      }
    }
    this.#log = new Log(find('moments'), going, this.#end.signal)
    this.#start().catch(this.#fail)
  }

  /** Where the replay is, ms from the first page. */
  get time(): number {
    return Number(this.#position.value)
  }

  /** Ends the player and everything that it has begun. */
  destroy(): void {
    this.#end.abort()
    clearTimeout(this.#settling)
    this.#replayer?.destroy()
    this.#replayer = undefined
  }

  /** Goes where the viewer wants to be, ms from the first page. */
  seek(time: number): void {
    const within = Math.min(time, this.#length)
    if (!this.#replayer) {
      this.#begin = time
      return
    }
    this.#chosen = this.#pauseAt(within)
    this.#go(within)
  }

  /** Lists moments that are not part of the recording among its own. */
  note(outside: OutsideMoment[]): void {
    this.#outside = outside
    if (this.#isLoaded) {
      this.#list()
    }
  }

  /** Loads the document for the recorded page. */
  #openFrame(): Promise<Frame> {
    const frame = document.createElement('iframe')
    frame.title = 'The recorded page'
    // Otherwise a viewer could follow a link of the recorded page, which would replace the page.
    frame.inert = true
    frame.src = this.#isWithSite ? '/player/with-site' : '/player/frame'
    return new Promise((done) => {
      const listen = ({ source, origin }: MessageEvent) => {
        if (source === frame.contentWindow && origin === window.location.origin) {
          window.removeEventListener('message', listen)
          done((frame.contentWindow as unknown as { frame: Frame }).frame)
        }
      }
      window.addEventListener('message', listen, { signal: this.#end.signal })
      this.#stage.replaceChildren(frame)
    })
  }

  /** Scales the recorded page to the room there is between what is above and below it. */
  readonly #scale = (): void => {
    const { width, height } = this.#size
    const wrapper = this.#replayer?.wrapper
    if (!wrapper || !width || !height) {
      return
    }
    const isFull = document.fullscreenElement !== null
    const [above, below] = isFull ? [this.#page, this.#bar] : [this.#header, this.#below]
    const others =
      below.getBoundingClientRect().bottom -
      above.getBoundingClientRect().top -
      this.#stage.clientHeight
    const whole = (isFull ? undefined : this.#showing.heightOf?.()) ?? window.innerHeight
    const room = Math.max(whole - others - MARGIN, whole / 2)
    const factor = Math.min(
      (this.#header.clientWidth || this.#screen.clientWidth) / width,
      room / height,
      isFull ? 2 : 1
    )
    wrapper.style.transformOrigin = '0 0'
    wrapper.style.transform = `scale(${factor})`
    this.#page.style.width = `${Math.round(width * factor)}px`
    this.#stage.style.height = `${Math.round(height * factor)}px`
  }

  get #length(): number {
    return Number(this.#position.max)
  }

  readonly #show = (): void => {
    const length = this.#length
    const now = Math.min(this.#replayer?.getCurrentTime() ?? 0, length)
    this.#position.value = String(now)
    this.#position.ariaValueText = `${toClock(now)} of ${toClock(length)}`
    this.#clock.textContent = `${toClock(now)} / ${toClock(length)}`
    const action = this.#isPlaying ? 'Pause' : 'Play'
    this.#play.ariaLabel = action
    this.#play.title = `${action} (Space)`
    this.#play.classList.toggle('is-playing', this.#isPlaying)
    this.#url.textContent = this.#addresses.findLast(({ time }) => time <= now)?.address ?? ''
    this.#rail.drawPlayed(now, length)
    this.#log.follow(now)
    this.#skipPause(now)
  }

  /** Returns the pause in which a time is, unless it is close to its beginning or its end. */
  #pauseAt(time: number): Pause | undefined {
    const pauses = this.#isLoaded
      ? this.#pauses
      : listPauses(this.#prepared, this.#pages.start ?? 0)
    return pauses.find(({ from, until }) => from + LEAD < time && time < until - LEAD)
  }

  /**
   * Goes to the end of the pause that is being played, if pauses are skipped. rrweb would only begin to skip at the first change
   * in a pause, and take minutes for one of hours.
   */
  #skipPause(now: number): void {
    const pause = this.#isPlaying && this.#skip.checked ? this.#pauseAt(now) : undefined
    if (pause && pause.from !== this.#chosen?.from) {
      this.#go(pause.until - LEAD)
    }
  }

  #go(time: number, plays = this.#isPlaying): void {
    this.#isPlaying = plays
    this.#isAtEnd = false
    const within = Math.max(Math.min(time, this.#length), this.#pages.opening)
    if (plays) {
      this.#replayer?.play(within)
    } else {
      this.#replayer?.pause(within)
    }
    this.#show()
  }

  readonly #toggle = (): void => {
    const now = this.time
    this.#go(now >= this.#length ? 0 : now, !this.#isPlaying)
    if (!this.#isPlaying) {
      this.#settle()
    }
  }

  /** Goes so many ms forward. */
  readonly #move = (ms: number): void => {
    this.seek(this.time + ms)
    this.#settle()
  }

  /** Says where the viewer has gone, once the viewer stays there. */
  #settle(): void {
    const place = this.#replayer ? this.time : this.#begin
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => this.#showing.onPlace(place), SETTLED)
  }

  /** Rebuilds the recorded page in a new frame from what is loaded, and goes to `time`, ms. */
  async #build(time: number): Promise<void> {
    this.#replayer?.destroy()
    this.#replayer = undefined
    this.#begin = time
    const frame = await this.#openFrame()
    const replayer = frame.open({
      events: [...this.#prepared] as Parameters<Frame['open']>[0]['events'],
      speed: Number(this.#speed.value),
      onLoss: (event) => {
        this.#unshown.add(event)
        if (Object(event).type === FULL_SNAPSHOT) {
          this.#cover('This page cannot be shown.')
        }
        this.#tell()
      }
    })
    this.#replayer = replayer
    replayer.on('fullsnapshot-rebuilded', () => this.#cover(''))
    replayer.on('resize', (shown) => {
      this.#size = shown as { width: number; height: number }
      this.#scale()
    })
    replayer.on('finish', () => {
      this.#isAtEnd = true
      // Until everything is loaded, more may follow: `start` then continues to play.
      this.#isPlaying = this.#isPlaying && !this.#isLoaded
      this.#show()
    })
    // The viewer may have gone elsewhere meanwhile.
    this.#go(this.#begin)
  }

  /** Shows a window: its snapshots, the length of the time line, and the list of moments. */
  #choose(own: Snapshot[]): void {
    this.#own = own
    this.#shownWindow = own[0]?.window
    this.#pages = new Pages()
    this.#prepared = this.#pages.prepare(own)
    const start = this.#pages.start ?? 0
    this.#pauses = listPauses(own, start)
    this.#position.max = String(lengthOf(own, start))
    this.#addresses = own.flatMap((snapshot) => {
      const address = addressOf(snapshot)
      const time = Math.max(0, snapshot.timestamp - start)
      return address ? [{ time, address: address.replace(/^https?:\/\//, '') }] : []
    })
    this.#list()
  }

  /** Lists the moments of the window that is shown. */
  #list(): void {
    const start = this.#pages.start ?? 0
    const length = this.#length
    const own = listMoments(this.#own, start)
    const outside = this.#outside
      .map(({ at, ...moment }) => ({ ...moment, time: at - start }))
      .filter((moment) => moment.time >= 0 && moment.time <= length && !isRecorded(moment, own))
    const moments = [...own, ...outside].sort((a, b) => a.time - b.time)
    this.#log.show(moments)
    this.#rail.draw(length, moments, this.#pauses)
    this.#showing.onListed?.(moments, length)
  }

  /** Lets the viewer choose a window if there are several. */
  #offer(all: Snapshot[][]): void {
    this.#windows.hidden = all.length < 2
    const starts = all.map((own) => own.find(({ type }) => type === FULL_SNAPSHOT)?.timestamp ?? 0)
    for (const [i, own] of all.entries()) {
      const text = `${i + 1}, from ${toClock((starts[i] ?? 0) - Math.min(...starts))}`
      const isShown = own[0]?.window === this.#shownWindow
      this.#choice.append(new Option(text, String(i), false, isShown))
    }
    this.#on(this.#choice, 'change', () => {
      this.#choose(all[Number(this.#choice.value)] ?? [])
      this.#isPlaying = true
      this.#build(0).catch(this.#fail)
    })
  }

  /** Goes on at another speed, one step faster or slower. */
  readonly #changeSpeed = (step: number): void => {
    const speed = this.#speed
    speed.selectedIndex = Math.min(
      Math.max(speed.selectedIndex + step, 0),
      speed.options.length - 1
    )
    this.#replayer?.setConfig({ speed: Number(speed.value) })
  }

  readonly #toggleFull = (): void => {
    const changed = document.fullscreenElement
      ? document.exitFullscreen()
      : this.#screen.requestFullscreen()
    changed.then(this.#scale, () => undefined)
  }

  /** Listens until the player ends. */
  #on(target: EventTarget, type: string, listener: (event: Event) => void): void {
    target.addEventListener(type, listener, { signal: this.#end.signal })
  }

  #listen(): void {
    this.#on(this.#play, 'click', this.#toggle)
    this.#on(this.#back, 'click', () => this.#move(-10_000))
    this.#on(this.#forward, 'click', () => this.#move(10_000))
    this.#on(this.#position, 'input', () => this.#move(0))
    this.#on(this.#speed, 'change', () => this.#changeSpeed(0))
    this.#on(this.#skip, 'change', () => {
      this.#chosen = undefined
      this.#show()
    })
    this.#full.hidden = !document.fullscreenEnabled
    this.#full.title = this.#showing.hasLetters ? 'Full screen (f)' : 'Full screen'
    this.#on(this.#full, 'click', this.#toggleFull)
    this.#on(this.#load, 'click', () => {
      this.#load.disabled = true
      this.#isWithSite = true
      this.#build(this.time).catch(this.#fail)
    })
    for (const control of [this.#play, this.#full]) {
      this.#on(control, 'keydown', (event) => holdOnce(event as KeyboardEvent))
    }
    listenToKeys(
      {
        toggle: this.#toggle,
        move: this.#move,
        changeSpeed: this.#changeSpeed,
        toggleFull: this.#toggleFull
      },
      { hasLetters: this.#showing.hasLetters, signal: this.#end.signal }
    )
    this.#on(window, 'resize', this.#scale)
    const timer = setInterval(this.#show, TICK)
    this.#on(this.#end.signal, 'abort', () => clearInterval(timer))
    const controls = [this.#play, this.#back, this.#forward, this.#position]
    for (const control of [...controls, this.#speed, this.#skip, this.#full, this.#load]) {
      control.disabled = false
    }
  }

  /** Adds snapshots to those loaded, and plays those of the first window. */
  #take(more: Snapshot[]): void {
    this.#loaded.push(...more)
    this.#shownWindow ??= more[0]?.window
    const own = more.filter(({ window }) => window === this.#shownWindow)
    for (const snapshot of this.#pages.prepare(own)) {
      this.#prepared.push(snapshot)
      this.#replayer?.addEvent(snapshot as Parameters<Replayer['addEvent']>[0])
    }
  }

  /** Whether enough is loaded to begin: a page, and snapshots beyond the time in the link. */
  get #isPlayable(): boolean {
    const { start } = this.#pages
    const wanted = Math.min(this.#begin, this.#length)
    return start !== undefined && lengthOf(this.#prepared, start) > wanted
  }

  /** Lists moments and windows once everything is loaded. @throws when there is no page to show */
  #complete(): void {
    this.#isLoaded = true
    this.#loaded.sort((a, b) => a.timestamp - b.timestamp)
    const all = [...Map.groupBy(this.#loaded, ({ window }) => window).values()].filter(hasPage)
    const own = all.find(([first]) => first?.window === this.#shownWindow) ?? all[0]
    if (!own) {
      throw new Error(NOTHING[this.#missing ?? (this.#damaged > 0 ? 'unreadable' : 'none')])
    }
    this.#choose(own)
    this.#offer(all)
  }

  /** Plays as soon as there is a page to show, and loads the rest meanwhile. */
  async #start(): Promise<void> {
    const { end, parts } = await openRecording(this.#showing.load)
    let begun: number | undefined
    const open = async () => {
      begun = this.#pages.start
      await this.#build(Math.min(this.#begin, this.#length))
      this.#listen()
      this.#cover('')
    }
    for await (const part of parts) {
      if (this.#end.signal.aborted) {
        return
      }
      this.#missing ??= part.missing
      this.#damaged += part.damaged
      this.#take(part.snapshots)
      if (begun === undefined) {
        this.#position.max = String(Math.max(0, end - (this.#pages.start ?? end)))
      }
      if (begun === undefined && this.#isPlayable) {
        await open()
      }
    }
    this.#complete()
    if (begun === undefined) {
      await open()
    } else if (this.#pages.start !== begun) {
      // A part that came late has an earlier page.
      await this.#build(this.time)
    } else if (this.#isAtEnd && this.#isPlaying) {
      this.#go(this.time)
    }
    this.#tell()
  }

  /** Says what is not shown. */
  #tell(): void {
    const count = this.#damaged + this.#unshown.size
    const changes = count === 1 ? 'One change' : `${count} changes`
    this.#say(
      [
        this.#missing ? MISSING[this.#missing] : '',
        count > 0 ? `${changes} of the page cannot be shown.` : ''
      ].join(' ')
    )
  }

  #say(words: string): void {
    this.#status.hidden = words.trim() === ''
    this.#status.textContent = words
  }

  /** Writes words where the recorded page would be. */
  #cover(words: string): void {
    this.#lost.hidden = words === ''
    this.#lost.textContent = words
  }

  readonly #fail = (error: unknown): void =>
    this.#cover(error instanceof Error ? error.message : 'The recording cannot be played.')
}
