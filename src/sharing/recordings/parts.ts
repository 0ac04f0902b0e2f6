/** Paths of the icons, in a square of 16 pixels. */
const ICONS = {
  globe:
    'M8 13.5a5.5 5.5 0 100-11 5.5 5.5 0 000 11zM2.5 8h11M8 2.5c3.4 3.6 3.4 7.4 0 11M8 2.5c-3.4 3.6-3.4 7.4 0 11',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.8 8z',
  back: 'M7.5 4L3.5 8l4 4M12.5 4l-4 4 4 4',
  forward: 'M8.5 4l4 4-4 4M3.5 4l4 4-4 4',
  full: 'M3 6V3h3M13 6V3h-3M3 10v3h3M13 10v3h-3'
}

const icon = (name: keyof typeof ICONS): string =>
  `<svg class="i is-${name}" viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`

const speeds = [1, 2, 4, 8].map((speed) => `<option value="${speed}">${speed}×</option>`).join('')

/**
 * The recorded page and its controls, which the player finds by their ids. They are also part of the
 * console.
 */
export const PLAYER_PARTS = `<div id="page">
<div class="url">${icon('globe')}<bdi id="url"></bdi></div>
<div id="stage"></div>
<p id="lost" role="status">The recording is loading.</p>
</div>
<p id="status" role="status" hidden></p>
<div class="scrub">
<svg id="rail" viewBox="0 0 1000 28" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" y="17" width="1000" height="4"/><g id="pauses"></g><rect id="played" y="17" width="0" height="4"/><g id="marks"></g></svg>
<input type="range" id="position" min="0" max="0" value="0" step="any" aria-label="Position" disabled>
</div>
<div id="bar" class="bar">
<button type="button" id="play" class="b icon main-b" aria-label="Play" disabled>${icon('play')}${icon('pause')}</button>
<button type="button" id="back" class="b icon quiet" aria-label="Back 10 seconds" title="Back 10 seconds (←)" disabled>${icon('back')}</button>
<button type="button" id="forward" class="b icon quiet" aria-label="Forward 10 seconds" title="Forward 10 seconds (→)" disabled>${icon('forward')}</button>
<span id="clock"></span>
<span class="grow"></span>
<label id="windows" hidden>Window <select id="window" class="b small"></select></label>
<label><input type="checkbox" role="switch" class="switch" id="skip" disabled> Skip inactivity</label>
<select id="speed" class="b small" aria-label="Speed" title="Speed (< and >)" disabled>${speeds}</select>
<button type="button" id="full" class="b icon quiet" aria-label="Full screen" title="Full screen" disabled>${icon('full')}</button>
</div>`

/** The button that loads the recorded site's files, and what that means. */
export const SITE_PART =
  '<button type="button" id="load" class="b small" disabled>Load the site’s images and styles</button> <span>The site can then see that someone is watching.</span>'
