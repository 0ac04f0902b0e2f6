import { toSeconds } from './clock.ts'
import { Playback } from './playback.ts'
import { loadShared } from './shared.ts'

/*
 * The page of a shared recording, at `/shared/<token>#t=12.5`.
 */

/** `#t=12.5` → 12500 */
const linkedTime = (): number =>
  Number(/[#&]t=(\d+(?:\.\d+)?)/.exec(window.location.hash)?.[1] ?? 0) * 1000

const hrefOf = (time: number): string => `#t=${toSeconds(time)}`

const playback = new Playback({
  load: loadShared(window.location.pathname.replace(/\/$/, '')),
  begin: linkedTime(),
  hasLetters: true,
  hrefOf,
  onPlace: (time) => window.history.replaceState(null, '', hrefOf(time))
})

window.addEventListener('hashchange', () => playback.seek(linkedTime()))
