import { Replayer } from '@rrweb/replay'

/*
 * The document that rebuilds the recorded page, in an iframe of the player. The iframe that the Replayer makes inside of it has a
 * sandbox without scripts, and inherits this document's policy, which forbids every connection.
 */

export type Frame = {
  open(events: ConstructorParameters<typeof Replayer>[0], speed: number, skips: boolean): Replayer
}

type Changes = { applyIncremental(event: unknown, isSync: boolean): void }

/** Lets a change without effect that does not fit the page, instead of ending the replay: anyone can forge one. */
function tolerateChanges(prototype: Changes): void {
  const apply = prototype.applyIncremental
  prototype.applyIncremental = function (event, isSync) {
    try {
      apply.call(this, event, isSync)
    } catch (error) {
      console.warn('A change of the page was skipped.', error)
    }
  }
}

tolerateChanges(Replayer.prototype as unknown as Changes)

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
