import { Replayer } from '@rrweb/replay'

/*
 * The document that rebuilds the recorded page, in an iframe of the player. The Replayer creates another iframe inside it,
 * which has a sandbox without scripts, and inherits this document's policy, which forbids every connection.
 */

export type Frame = {
  open(events: ConstructorParameters<typeof Replayer>[0], speed: number, skips: boolean): Replayer
}

type Builder = {
  applyIncremental(event: unknown, isSync: boolean): void
  rebuildFullSnapshot(event: unknown, isSync: boolean): void
}

/** Lets the replay skip a snapshot or a change that cannot be applied, instead of ending: anyone can forge one. */
function tolerate(builder: Builder, name: keyof Builder): void {
  const apply = builder[name]
  builder[name] = function (event, isSync) {
    try {
      apply.call(this, event, isSync)
    } catch (error) {
      console.warn('A change of the page was skipped.', error)
    }
  }
}

tolerate(Replayer.prototype as unknown as Builder, 'applyIncremental')
tolerate(Replayer.prototype as unknown as Builder, 'rebuildFullSnapshot')

/**
 * Calls a function so that this document counts as the caller, even if the player's page calls. `document.open()`, which
 * rrweb uses, gives the opened document the address of the page that counts as the caller. The player's address contains the
 * token, and requests of the recorded page could send it as their referrer. The trick: listeners are called from their own
 * document.
 */
function callHere(call: () => void): void {
  const here = new EventTarget()
  here.addEventListener('call', call)
  here.dispatchEvent(new Event('call'))
}

// The player calls these methods, which may rebuild the page. They have to run from this document: see `callHere`.
for (const name of ['play', 'pause', 'addEvent'] as const) {
  const method = Replayer.prototype[name] as (value?: unknown) => void
  Object.assign(Replayer.prototype, {
    [name](this: Replayer, value?: unknown) {
      callHere(() => method.call(this, value))
    }
  })
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
