import { Replayer } from '@rrweb/replay'
import { AdoptedSheets } from './adopted.ts'
import { draw, firstPictureOf, pictureOf } from './canvas.ts'
import { type Add, inOrder } from './order.ts'
import { isCustomName } from './sound.ts'

/*
 * The document that rebuilds the recorded page, in an iframe of the player. The Replayer creates another iframe inside it,
 * which has a sandbox without scripts, and inherits this document's policy, which forbids every connection.
 */

type Events = ConstructorParameters<typeof Replayer>[0]

/** What to play, and how. `onLoss` is called for an event of which something cannot be shown. */
export type Showing = {
  events: Events
  speed: number
  onLoss: (event: object) => void
}

export type Frame = { open(showing: Showing): Replayer }

type Members = Record<string, unknown>

type Recorded = { type: number; timestamp: number; data: Members }

type Mutation = { adds: Add[]; removes: Members[]; texts: Members[]; attributes: Members[] }

type Action = { delay: number; doAction(): void }

/** rrweb's methods and members that are corrected here. Its types call most of them private. */
type Inner = {
  applyIncremental(event: Recorded, isSync: boolean): void
  applyMutation(change: Mutation, isSync: boolean): void
  applyStyleSheetMutation(change: Members): void
  applyAdoptedStyleSheet(change: Members): void
  rebuildFullSnapshot(event: Recorded, isSync?: boolean): void
  moveAndHover(x: number, y: number, id: number, isSync: boolean, data: unknown): void
  play(time?: number): void
  pause(time?: number): void
  addEvent(event: Recorded): void
  styleMirror: { reset(): void }
  timer: { addAction(action: Action): void; timeOffset: number }
  iframe: HTMLIFrameElement
  lastHoveredRootNode: Node | undefined
}

/** rrweb's numbers of changes. */
const [INTERACTION, SCROLL, MEDIA, CANVAS, CUSTOM_ELEMENT] = [2, 3, 7, 9, 16]
const [FOCUS, BLUR] = [5, 6]
const DOCUMENT = 0

const NOTHING: Mutation = { adds: [], removes: [], texts: [], attributes: [] }

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

/** Makes the replay skip what cannot be applied, instead of ending, and corrects what rrweb gets wrong. */
function correct(replayer: Replayer, onLoss: Showing['onLoss']): void {
  const inner = replayer as unknown as Inner
  const mirror = replayer.getMirror()
  const sheets = new AdoptedSheets(replayer)
  /** The event that is being applied. */
  let current: object = {}

  const nodeOf = (id: number): Node | null => mirror.getNode(id) as Node | null

  const attempt = (apply: () => void, event = current): void => {
    try {
      apply()
    } catch (error) {
      console.warn('A change of the page was skipped.', error)
      onLoss(event)
    }
  }

  // The player calls these methods, which may rebuild the page. They have to run from this document: see `callHere`.
  for (const name of ['play', 'pause', 'addEvent'] as const) {
    const method = inner[name] as (value?: unknown) => void
    inner[name] = (value?: unknown) => callHere(() => method.call(inner, value))
  }

  const { rebuildFullSnapshot, applyIncremental, applyMutation, moveAndHover } = inner
  const { timer, applyStyleSheetMutation } = inner
  const { addAction } = timer

  // An action that throws, or whose time is not a number, would stop the clock for good.
  timer.addAction = ({ delay, doAction }) => {
    const event = current
    const action = {
      delay: Number.isFinite(delay) ? delay : 0,
      doAction: () => attempt(doAction, event)
    }
    addAction.call(timer, action)
  }

  /** The latest of the actions that make the browser lay out the page: a jump takes only one of each. */
  const latest = new Map<string, Recorded>()

  replayer.on('flush', () => {
    for (const event of latest.values()) {
      apply(event, true)
    }
    latest.clear()
  })

  inner.rebuildFullSnapshot = (event, isSync) => {
    current = event
    latest.clear()
    attempt(() => rebuildFullSnapshot.call(inner, event, isSync))
  }

  inner.applyIncremental = (event, isSync) => {
    const key = isSync ? layoutOf(event) : undefined
    if (key) {
      latest.set(key, event)
    } else {
      apply(event, isSync)
    }
  }

  const apply = (event: Recorded, isSync: boolean): void => {
    current = event
    attempt(() => {
      const node = nodeOf(Number(event.data.id))
      switch (event.data.source) {
        case INTERACTION:
          applyIncremental.call(inner, onPage(event), isSync)
          break
        case MEDIA:
          // Anything else has no `pause`, which the end of a replay calls.
          if (node && /^(AUDIO|VIDEO)$/.test(node.nodeName)) {
            applyIncremental.call(inner, event, isSync)
          }
          break
        case CANVAS:
          paint(node, pictureOf(event.data))
          break
        case CUSTOM_ELEMENT:
          define(event.data.define)
          break
        default:
          applyIncremental.call(inner, event, isSync)
      }
    })
  }

  /** An action on an element that is not on the page is shown on the page, where it was. */
  const onPage = (event: Recorded): Recorded =>
    mirror.has(Number(event.data.id))
      ? event
      : { ...event, data: { ...event.data, id: mirror.getId(rootOf(inner)) } }

  const paint = (node: Node | null, picture: ReturnType<typeof pictureOf>): void => {
    const event = current
    if (!picture) {
      onLoss(event)
    } else if (node?.nodeName === 'CANVAS') {
      void draw(node as HTMLCanvasElement, picture, () => onLoss(event))
    }
  }

  const define = (definition: unknown): void => {
    const { name } = Object(definition)
    const view = inner.iframe.contentWindow as (Window & typeof globalThis) | null
    if (view && isCustomName(name) && !view.customElements.get(name)) {
      view.customElements.define(name, class extends view.HTMLElement {})
    }
  }

  // Applies each part of a change by itself, so that one that fails costs no other.
  inner.applyMutation = ({ removes, adds, texts, attributes }, isSync) => {
    const applyPart = (part: Partial<Mutation>) =>
      attempt(() => applyMutation.call(inner, { ...NOTHING, ...part }, isSync))
    for (const remove of removes) {
      applyPart({ removes: [remove] })
    }
    for (const add of inOrder(adds)) {
      for (const placed of place(add)) {
        applyPart({ adds: [placed] })
      }
    }
    for (const text of texts) {
      applyPart({ texts: [text] })
    }
    for (const attribute of attributes) {
      applyPart({ attributes: [attribute] })
      attempt(() => followLink(Number(attribute.id), Object(attribute.attributes)))
    }
  }

  /** Turns a stylesheet on or off by what has changed of its link. */
  const followLink = (id: number, changes: Members): void => {
    const node = nodeOf(id)
    if (!node || Object(mirror.getMeta(node as never)).tagName !== 'link') {
      return
    }
    if (node.nodeName === 'STYLE') {
      followStyle(node as HTMLStyleElement, changes)
    } else if (changes.disabled === null) {
      // A browser loads an alternate stylesheet once it was disabled, and no longer is.
      const link = node as HTMLLinkElement
      link.disabled = true
      link.disabled = false
    }
  }

  /** Does so for the style that rrweb builds of a recorded sheet: there, a link's attributes mean nothing. */
  const followStyle = (style: HTMLStyleElement, changes: Members): void => {
    if ('_cssText' in changes) {
      // It was recorded as it began to be shown.
      style.removeAttribute('rel')
    } else if ('href' in changes) {
      onLoss(current)
    } else if ('rel' in changes || 'disabled' in changes) {
      // With a title, it would be shown only together with the first sheet that has one.
      style.removeAttribute('title')
      const rel = style.getAttribute('rel') ?? 'stylesheet'
      style.disabled = true
      style.disabled = style.hasAttribute('disabled') || rel !== 'stylesheet'
    }
  }

  /** Returns an addition with a place that exists, or nothing if there is none. */
  const place = (add: Add): Add[] => {
    const parentId = mirror.has(add.parentId) ? add.parentId : (add.elseId ?? add.parentId)
    const parent = nodeOf(parentId)
    const isDocument = add.node.type === DOCUMENT
    // The document of an iframe may be recorded before the iframe; anywhere else, a document would empty the page.
    if (isDocument && parent && parent.nodeName !== 'IFRAME') {
      onLoss(current)
      return []
    }
    if (isDocument) {
      return [add]
    }
    return parent && parent.nodeName !== 'IFRAME'
      ? [{ ...add, parentId, nextId: nextOf(add, parent) }]
      : []
  }

  /** Returns the id of the node before which an addition belongs; null at the end, or if that node is elsewhere. */
  const nextOf = (add: Add, parent: Node): number | null => {
    const nextId = (add.replaces ? takeOut(add.node.id) : undefined) ?? add.nextId ?? null
    const place = nextId === null ? undefined : nodeOf(nextId)?.parentNode
    const isBelow = place === parent || (place && place === (parent as Element).shadowRoot)
    // rrweb's early versions wrote -1 for a node that follows later.
    return isBelow || nextId === -1 ? nextId : null
  }

  /** Removes a node. @returns the id of the node after it */
  const takeOut = (id: number): number | undefined => {
    const node = nodeOf(id)
    const next = node?.nextSibling as never
    if (node) {
      mirror.removeNodeFromMap(node as never)
      node.parentNode?.removeChild(node)
    }
    return next && mirror.hasNode(next) ? mirror.getId(next) : undefined
  }

  inner.moveAndHover = (x, y, id, isSync, data) =>
    attempt(() => {
      // A text that has left the page has no elements to search for those that were hovered.
      if (inner.lastHoveredRootNode && !('querySelectorAll' in inner.lastHoveredRootNode)) {
        inner.lastHoveredRootNode = undefined
      }
      const target = mirror.has(id) ? id : mirror.getId(rootOf(inner))
      moveAndHover.call(inner, x, y, target, isSync, data)
    })

  /** Gives a node that was built what is not part of it. */
  const finish = (node: Node, id: number): void => {
    sheets.put(id)
    if (node.parentNode && 'host' in node.parentNode) {
      sheets.put(mirror.getId(node.parentNode.host as never))
    }
    const first = node.nodeName === 'CANVAS' && firstPictureOf(node as HTMLCanvasElement)
    if (first) {
      paint(node, first)
    }
  }

  inner.styleMirror = sheets
  inner.applyAdoptedStyleSheet = (change) =>
    sheets.adopt(change as Parameters<AdoptedSheets['adopt']>[0])
  inner.applyStyleSheetMutation = (change) =>
    typeof change.styleId === 'number'
      ? sheets.change(change.styleId, change)
      : applyStyleSheetMutation.call(inner, change)

  replayer.setConfig({
    plugins: [
      {
        onBuild: (built, { id }) => attempt(() => finish(built as unknown as Node, id))
      }
    ]
  })
}

/** Says what an action moves, for actions that make the browser lay out the page at once. */
function layoutOf({ data }: Recorded): string | undefined {
  if (data.source === SCROLL) {
    return `scroll ${data.id}`
  }
  const isFocus = data.source === INTERACTION && (data.type === FOCUS || data.type === BLUR)
  return isFocus ? 'focus' : undefined
}

const rootOf = ({ iframe }: Inner): never => iframe.contentDocument?.documentElement as never

const open: Frame['open'] = ({ events, speed, onLoss }) => {
  const root = document.body
  root.replaceChildren()
  const replayer = new Replayer(events, {
    root,
    speed,
    mouseTail: false,
    showWarning: false,
    showDebug: false,
    // Without its copy of the page, which loses nodes, styles and custom elements.
    useVirtualDom: false,
    UNSAFE_replayCanvas: false
  })
  correct(replayer, onLoss)
  return replayer
}

Object.assign(window, { frame: { open } satisfies Frame })
window.parent.postMessage('frame is ready', window.location.origin)
