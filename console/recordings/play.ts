import { Playback, type Showing } from '../../player/playback.ts'
import { PLAYER_PARTS, SITE_PART } from '../../src/sharing/recordings/parts.ts'

/*
 * The player, which is loaded when a recording is opened.
 */

export type { Playback }

/** Builds the player in these elements, and begins to play. */
export function play(parts: HTMLElement, site: HTMLElement, showing: Showing): Playback {
  parts.innerHTML = PLAYER_PARTS
  site.innerHTML = SITE_PART
  return new Playback(showing)
}
