import { toClock } from './clock.ts'
import type { Moment } from './moments.ts'
import { find } from './page.ts'

/*
 * The list of moments, which follows the replay.
 */

/** How long the list stays where a viewer has scrolled it, ms. */
const REST = 5_000

const list = find('moments')

let shown: Moment[] = []
/** The index of the latest moment that has passed; -1 before the first. */
let now = -1
/** When a viewer last moved the list. */
let touched = Number.NEGATIVE_INFINITY

for (const action of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
  list.addEventListener(
    action,
    () => {
      touched = performance.now()
    },
    { passive: true }
  )
}

/** Lists moments. `go` is called with the time of a moment that is clicked. */
export function listMoments(moments: Moment[], go: (time: number) => void): void {
  shown = moments
  now = -1
  list.replaceChildren(...moments.map((moment) => toItem(moment, go)))
}

function toItem(
  { time, kind, text, name = text }: Moment,
  go: (time: number) => void
): HTMLElement {
  const link = document.createElement('a')
  link.href = `#t=${Math.floor(time / 100) / 10}`
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
      window.history.replaceState(null, '', link.href)
      go(time)
    }
  })
  const item = document.createElement('li')
  item.className = kind
  item.append(link)
  return item
}

/** Marks the moment that the replay has reached, and scrolls to it unless the viewer is reading. */
export function follow(time: number): void {
  const reached = shown.findLastIndex((moment) => moment.time <= time)
  if (reached === now) {
    return
  }
  list.children[now]?.removeAttribute('aria-current')
  now = reached
  const item = list.children[now]
  item?.setAttribute('aria-current', 'true')
  if (item instanceof HTMLElement && performance.now() - touched > REST) {
    list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2
  }
}
