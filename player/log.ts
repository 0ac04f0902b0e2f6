import { toClock } from './clock.ts'
import type { Moment } from './moments.ts'

/** How long the list stays where a viewer has scrolled it, ms. */
const REST = 5_000

type Going = {
  /** Called with the time of a moment that is clicked. */
  go(time: number): void
  /** Returns the address of a time of the recording, ms. */
  hrefOf(time: number): string
}

/** The list of moments, which follows the replay. */
export class Log {
  readonly #list: HTMLElement
  readonly #going: Going
  #shown: Moment[] = []
  /** The index of the latest moment that has passed; -1 before the first. */
  #now = -1
  /** When a viewer last moved the list. */
  #touched = Number.NEGATIVE_INFINITY

  constructor(list: HTMLElement, going: Going, signal: AbortSignal) {
    this.#list = list
    this.#going = going
    for (const action of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
      list.addEventListener(
        action,
        () => {
          this.#touched = performance.now()
        },
        { passive: true, signal }
      )
    }
  }

  show(moments: Moment[]): void {
    this.#shown = moments
    this.#now = -1
    this.#list.replaceChildren(...moments.map((moment) => this.#toItem(moment)))
  }

  #toItem({ time, kind, text, name = text }: Moment): HTMLElement {
    const link = document.createElement('a')
    link.href = this.#going.hrefOf(time)
    const at = document.createElement('time')
    at.textContent = toClock(time)
    const words = document.createElement('bdi')
    words.textContent = text
    words.title = name
    link.append(at, ' ', words)
    link.addEventListener('click', (event) => {
      // With a key, the browser opens the link elsewhere.
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault()
        this.#going.go(time)
      }
    })
    const item = document.createElement('li')
    item.className = kind
    item.append(link)
    return item
  }

  /** Marks the moment that the replay has reached, and scrolls to it unless the viewer is reading. */
  follow(time: number): void {
    const reached = this.#shown.findLastIndex((moment) => moment.time <= time)
    if (reached === this.#now) {
      return
    }
    const list = this.#list
    list.children[this.#now]?.removeAttribute('aria-current')
    this.#now = reached
    const item = list.children[reached]
    item?.setAttribute('aria-current', 'true')
    const isShown = item instanceof HTMLElement && item.offsetParent !== null
    if (isShown && performance.now() - this.#touched > REST) {
      list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2
    }
  }
}
