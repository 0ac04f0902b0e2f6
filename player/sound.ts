/*
 * Makes the events of a recording fit for rrweb. It trusts its events: a missing member ends a replay for good, and a single
 * node that cannot be built loses the whole page. Anyone can forge a recording, and real ones are cut off and damaged.
 */

type Members = Record<string, unknown>

/** Called when something is left out that would have been shown. */
type Lose = () => void

/** rrweb's numbers of events, changes and nodes. */
const [FULL_SNAPSHOT, INCREMENTAL, META] = [2, 3, 4]
const [MUTATION, MOUSE_MOVE, INTERACTION, SCROLL, RESIZE, INPUT, TOUCH_MOVE, MEDIA] = [
  0, 1, 2, 3, 4, 5, 6, 7
]
const DRAG = 12
const [DOCUMENT, DOCTYPE, ELEMENT, TEXT, CDATA, COMMENT] = [0, 1, 2, 3, 4, 5]

/** Size of a page whose recording does not say it, pixels. */
const SIZE = { width: 1280, height: 800 }
/** Largest size of a page, pixels: browsers cannot lay out much larger ones. */
const MAX_SIZE = 16_384
/** Positions of the mouse are collected for half a second at most. Times are ms before and after their event. */
const MAX_OFFSET = 10_000

/** The attribute in which a rebuilt canvas has its first picture. rrweb's own would be drawn at any later time. */
export const FIRST_PICTURE = 'data-first-picture'

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is number => Number.isInteger(value)

const isNumber = (value: unknown): value is number => Number.isFinite(value)

const isText = (value: unknown): value is string => typeof value === 'string'

/** Returns the members of a list that are objects and fit; others count as lost. */
function membersOf(
  value: unknown,
  lose: Lose,
  isFit: (member: Members) => boolean = () => true
): Members[] {
  const all: unknown[] = [value ?? []].flat()
  const members = all.filter(isMembers).filter(isFit)
  if (members.length < all.length) {
    lose()
  }
  return members
}

type Event = { type: number; data: Members }

/** Returns what rrweb can play of an event, and whether something else of it is lost. */
export function mend<Some extends Event>(event: Some): { playable: Some[]; isDamaged: boolean } {
  let isDamaged = false
  const data = mendData(event, () => {
    isDamaged = true
  })
  return { playable: data ? [{ ...event, data }] : [], isDamaged }
}

function mendData({ type, data }: Event, lose: Lose): Members | undefined {
  switch (type) {
    case FULL_SNAPSHOT:
      return mendPage(data, lose)
    case META:
      return { ...data, ...mendSize(data) }
    case INCREMENTAL:
      return mendChange(data, lose)
    default:
      return data
  }
}

const mendSize = ({ width, height }: Members) => ({
  width: mendLength(width) ?? SIZE.width,
  height: mendLength(height) ?? SIZE.height
})

const mendLength = (length: unknown): number | undefined =>
  isNumber(length) && length > 0 ? Math.min(length, MAX_SIZE) : undefined

function mendPage(data: Members, lose: Lose): Members | undefined {
  const [node] = isMembers(data.node) ? mendNode(data.node, lose) : []
  const { left, top } = isMembers(data.initialOffset) ? data.initialOffset : {}
  if (node?.type !== DOCUMENT) {
    lose()
    return undefined
  }
  const initialOffset = { left: isNumber(left) ? left : 0, top: isNumber(top) ? top : 0 }
  return { ...data, node, initialOffset }
}

/** Returns a list of one node, or an empty one if it cannot be built. */
function mendNode(node: Members, lose: Lose): Members[] {
  const mended = isId(node.id) ? mendKind(node, lose) : undefined
  if (!mended) {
    lose()
  }
  return mended ? [mended] : []
}

function mendKind(node: Members, lose: Lose): Members | undefined {
  switch (node.type) {
    case DOCUMENT:
      return mendDocument(node, lose)
    case DOCTYPE:
      return {
        ...node,
        name: /^[\w:.-]+$/.test(String(node.name)) ? node.name : 'html',
        publicId: isText(node.publicId) ? node.publicId : '',
        systemId: isText(node.systemId) ? node.systemId : ''
      }
    case ELEMENT:
      return mendElement(node, lose)
    // The rebuilt page is HTML, where CDATA sections are texts.
    case CDATA:
    case TEXT:
      return { ...node, type: TEXT, textContent: isText(node.textContent) ? node.textContent : '' }
    case COMMENT:
      return { ...node, textContent: '' }
    default:
      return undefined
  }
}

/** A document has one element, and in front of it perhaps a doctype. */
function mendDocument(node: Members, lose: Lose): Members | undefined {
  const children = membersOf(node.childNodes, lose)
  const [element, ...others] = children.filter(({ type }) => type === ELEMENT)
  const [root] = element ? mendNode(element, lose) : []
  if (!root) {
    return undefined
  }
  const doctype = children.find(({ type }) => type === DOCTYPE)
  if (others.length > 0) {
    lose()
  }
  return { ...node, childNodes: [...(doctype ? mendNode(doctype, lose) : []), root] }
}

/** The elements that can have a shadow root, besides custom ones. */
const HOSTS = /^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/
const CUSTOM = /^[a-z][a-z0-9._]*-[a-z0-9._-]*$/
/** Names with a hyphen that SVG and MathML use. */
const NOT_CUSTOM =
  /^(annotation-xml|color-profile|font-face(-src|-uri|-format|-name)?|missing-glyph)$/

/** Whether a name can be that of a custom element. */
export const isCustomName = (name: unknown): name is string =>
  isText(name) && CUSTOM.test(name) && !NOT_CUSTOM.test(name)

function mendElement(node: Members, lose: Lose): Members {
  const isSVG = node.isSVG === true
  const tagName = mendTag(node.tagName, isSVG)
  const isCustom = isCustomName(tagName)
  return {
    ...node,
    tagName,
    isSVG: isSVG || undefined,
    isCustom: (node.isCustom === true && isCustom) || undefined,
    isShadowHost: (node.isShadowHost === true && (isCustom || HOSTS.test(tagName))) || undefined,
    attributes: mendAttributes(tagName, isMembers(node.attributes) ? node.attributes : {}),
    // A document in a page is that of an iframe, and recorded as a change of its own.
    childNodes: membersOf(
      node.childNodes,
      lose,
      ({ type }) => type !== DOCUMENT && type !== DOCTYPE
    ).flatMap((child) => mendNode(child, lose))
  }
}

function mendTag(name: unknown, isSVG: boolean): string {
  const tag = isSVG ? String(name).replace(/^.*:/, '') : String(name)
  return /^[a-z][\w.:-]*$/i.test(tag) ? tag : 'div'
}

/** The values of rrweb's own attributes that browsers take; with others, they throw. */
const PLAYABLE: Record<string, (value: unknown) => boolean> = {
  rr_mediaVolume: (value) => isNumber(value) && value >= 0 && value <= 1,
  rr_mediaPlaybackRate: (value) => isNumber(value) && value >= 0.0625 && value <= 16,
  rr_mediaCurrentTime: isNumber
}

const mendAttributes = (tag: string, attributes: Members): Members =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, value]) => canHave(tag, name, value))
      .map(([name, value]) =>
        tag === 'canvas' && name === 'rr_dataURL' ? [FIRST_PICTURE, value] : [name, value]
      )
  )

function canHave(tag: string, name: string, value: unknown): boolean {
  if (name.startsWith('rr_media') && !/^(audio|video)$/i.test(tag)) {
    return false
  }
  return PLAYABLE[name]?.(value) ?? ['string', 'number', 'boolean'].includes(typeof value)
}

function mendChange(data: Members, lose: Lose): Members | undefined {
  switch (data.source) {
    case MUTATION:
      return mendMutation(data, lose)
    case MOUSE_MOVE:
    case TOUCH_MOVE:
    case DRAG: {
      const positions = membersOf(data.positions, lose, isPosition).map(mendPosition)
      return positions.length === 0 ? undefined : { ...data, positions }
    }
    case RESIZE:
      return keepIf(
        mendLength(data.width) && mendLength(data.height),
        { ...data, ...mendSize(data) },
        lose
      )
    case SCROLL:
      return keepIf(isId(data.id) && isNumber(data.x) && isNumber(data.y), data, lose)
    case INTERACTION:
      return keepIf(isInteraction(data), mendInteraction(data), lose)
    case INPUT:
      return {
        ...data,
        text: isText(data.text) ? data.text : '',
        isChecked: data.isChecked === true
      }
    case MEDIA:
      return mendMedia(data)
    default:
      return keepIf(isNumber(data.source), data, lose)
  }
}

function keepIf(isFit: unknown, data: Members, lose: Lose): Members | undefined {
  if (!isFit) {
    lose()
  }
  return isFit ? data : undefined
}

const isPosition = ({ id, x, y }: Members): boolean => isId(id) && isNumber(x) && isNumber(y)

const mendPosition = (position: Members): Members => ({
  ...position,
  timeOffset: isNumber(position.timeOffset)
    ? Math.min(Math.max(position.timeOffset, -MAX_OFFSET), MAX_OFFSET)
    : 0
})

/** Whether rrweb knows this kind of interaction: it has eleven. */
const isInteraction = ({ id, type }: Members): boolean =>
  isId(id) && isId(type) && type >= 0 && type <= 10

const mendInteraction = ({ x, y, ...data }: Members): Members =>
  isNumber(x) && isNumber(y) ? { ...data, x, y } : data

const MEDIA_TYPES: Record<string, (value: unknown) => boolean> = {
  currentTime: isNumber,
  volume: isNumber,
  playbackRate: isNumber,
  muted: (value) => typeof value === 'boolean',
  loop: (value) => typeof value === 'boolean'
}

const mendMedia = (data: Members): Members =>
  Object.fromEntries(
    Object.entries(data).filter(([name, value]) => MEDIA_TYPES[name]?.(value) ?? true)
  )

const mendMutation = (data: Members, lose: Lose): Members => ({
  ...data,
  removes: membersOf(data.removes, lose, ({ id, parentId }) => isId(id) && isId(parentId)),
  adds: membersOf(data.adds, lose, ({ node }) => isMembers(node)).flatMap((add) =>
    mendNode(add.node as Members, lose).map((node) => ({ ...add, node }))
  ),
  texts: membersOf(data.texts, lose).map((change) => ({
    ...change,
    value: isText(change.value) ? change.value : null
  })),
  attributes: membersOf(data.attributes, lose, ({ attributes }) => isMembers(attributes))
})
