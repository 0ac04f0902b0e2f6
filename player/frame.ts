import { Replayer } from '@rrweb/replay'

/*
 * The document that rebuilds the recorded page, in an iframe of the player. The iframe that the Replayer makes inside of it has a
 * sandbox without scripts, and inherits this document's policy, which forbids every connection.
 */

export type Frame = {
  open(events: ConstructorParameters<typeof Replayer>[0], speed: number, skips: boolean): Replayer
}

const open: Frame['open'] = (events, speed, skips) => {
  const root = document.body
  root.replaceChildren()
  return new Replayer(events, {
    root,
    speed,
    skipInactive: skips,
    mouseTail: false,
    showWarning: false,
    showDebug: false,
    UNSAFE_replayCanvas: false
  })
}

Object.assign(window, { frame: { open } satisfies Frame })
window.parent.postMessage('frame is ready', window.location.origin)
