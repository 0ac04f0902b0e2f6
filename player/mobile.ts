/*
 * Recordings of mobile apps have screenshots and wireframes, which are boxes with texts and pictures, instead of a page's
 * nodes. This module translates them into nodes. The forms are those of PostHog's SDKs for Android, iOS, React Native and Flutter.
 */

type Members = Record<string, unknown>

const [FULL_SNAPSHOT, INCREMENTAL, CUSTOM] = [2, 3, 5]
const MUTATION = 0
const [DOCUMENT, DOCTYPE, ELEMENT, TEXT] = [0, 1, 2, 3]

/** The first id of the nodes that no wireframe has. The SDKs' own ids are 32-bit numbers. */
const FIRST_ID = 2 ** 40
const [DOCUMENT_ID, BODY_ID, KEYBOARD_ID] = [FIRST_ID, FIRST_ID + 1, FIRST_ID + 2]

let lastId = FIRST_ID + 1_000

const nextId = (): number => {
  lastId += 1
  return lastId
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

const membersOf = (value: unknown): Members[] => [value].flat().filter(isMembers)

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Returns an event with nodes in place of wireframes; other events are returned as they are. */
export function fromMobile(event: Members): Members {
  const data = isMembers(event.data) ? event.data : {}
  if (event.type === FULL_SNAPSHOT && Array.isArray(data.wireframes)) {
    return { ...event, data: { ...data, node: screenOf(membersOf(data.wireframes)) } }
  }
  if (event.type === INCREMENTAL && data.source === MUTATION) {
    const [adds, updates] = [membersOf(data.adds), membersOf(data.updates)]
    return [...adds, ...updates].some(({ wireframe }) => isMembers(wireframe))
      ? changeOf(event, {
          removes: data.removes ?? [],
          adds: [...adds.flatMap((add) => addsOf(add)), ...updates.flatMap((add) => addsOf(add))]
        })
      : event
  }
  return event.type === CUSTOM && data.tag === 'keyboard' ? keyboardOf(event, data.payload) : event
}

const changeOf = (event: Members, change: Members): Members => ({
  ...event,
  type: INCREMENTAL,
  data: { source: MUTATION, texts: [], attributes: [], removes: [], adds: [], ...change }
})

/** The keyboard is an event of its own: with its height when it opens, then one when it closes. */
function keyboardOf(event: Members, payload: unknown): Members {
  if (!isMembers(payload) || typeof payload.open !== 'boolean') {
    return event
  }
  const { open, styles, ...place } = payload
  if (!open) {
    return changeOf(event, { removes: [{ id: KEYBOARD_ID, parentId: BODY_ID }] })
  }
  const box = {
    width: '100vw',
    ...place,
    id: KEYBOARD_ID,
    type: 'placeholder',
    label: 'Keyboard',
    isAtBottom: place.y === undefined,
    style: styles
  }
  return changeOf(event, { adds: addsOf({ parentId: BODY_ID, wireframe: box }) })
}

/** Returns the additions for a wireframe, one for each node: rrweb adds each node without its children. */
const addsOf = ({ parentId, wireframe }: Members): Members[] =>
  membersOf(wireframe).flatMap((box) => flatten(parentId, nodeOf(box)))

function flatten(parentId: unknown, node: Members): Members[] {
  const add = {
    parentId,
    elseId: BODY_ID,
    nextId: null,
    replaces: true,
    node: { ...node, childNodes: [] }
  }
  return [add, ...membersOf(node.childNodes).flatMap((child) => flatten(node.id, child))]
}

const screenOf = (wireframes: Members[]): Members => ({
  type: DOCUMENT,
  id: DOCUMENT_ID,
  childNodes: [
    { type: DOCTYPE, id: nextId(), name: 'html', publicId: '', systemId: '' },
    element('html', {}, [
      element('head', {}, []),
      element(
        'body',
        { style: 'margin:0;font:14px/1.3 system-ui,sans-serif;color:#35373e' },
        wireframes.map(nodeOf),
        BODY_ID
      )
    ])
  ]
})

const element = (
  tagName: string,
  attributes: Members,
  childNodes: Members[],
  id = nextId()
): Members => ({
  type: ELEMENT,
  id,
  tagName,
  attributes,
  childNodes
})

const text = (textContent: string): Members => ({ type: TEXT, id: nextId(), textContent })

function nodeOf(box: Members): Members {
  const id = typeof box.id === 'number' ? box.id : nextId()
  const inner = membersOf(box.childWireframes).map(nodeOf)
  const { tagName = 'div', css = '', attributes = {}, children = [] } = draw(box)
  return element(
    tagName,
    { ...attributes, style: `${css};${styleOf(box)}` },
    [...children, ...inner],
    id
  )
}

type Drawing = { tagName?: string; css?: string; attributes?: Members; children?: Members[] }

function draw(box: Members): Drawing {
  switch (box.type) {
    case 'text':
      return { css: 'white-space:pre-wrap', children: [text(textOf(box.text))] }
    case 'image':
    case 'screenshot': {
      const src = pictureOf(box.base64)
      return src ? { tagName: 'img', attributes: { src } } : placeholder('Image')
    }
    case 'input':
      return drawInput(box)
    case undefined:
    case 'div':
    case 'rectangle':
    case 'radio_group':
    case 'status_bar':
    case 'navigation_bar':
      return {}
    case 'web_view':
      return placeholder(textOf(box.url) || 'Web page')
    default:
      return placeholder(textOf(box.label) || textOf(box.type))
  }
}

const CENTRED = 'display:flex;align-items:center;justify-content:center;text-align:center'

const placeholder = (label: string): Drawing => ({
  css: `${CENTRED};background-color:#f3f4ef`,
  children: [text(label)]
})

function drawInput(box: Members): Drawing {
  const label = text(textOf(box.label))
  switch (box.inputType) {
    case 'checkbox':
    case 'radio':
    case 'toggle': {
      const type = box.inputType === 'radio' ? 'radio' : 'checkbox'
      const checked = box.checked === true ? { checked: '' } : {}
      return {
        css: 'display:flex;align-items:center;gap:4px',
        children: [element('input', { type, ...checked, style: 'margin:0' }, []), label]
      }
    }
    case 'button':
      return { css: CENTRED, children: [text(textOf(box.value))] }
    case 'progress':
      return drawProgress(box)
    case 'select':
      return { css: 'display:flex;align-items:center', children: [text(`${textOf(box.value)} ▾`)] }
    default:
      return {
        css: 'display:flex;align-items:center;white-space:pre-wrap',
        children: [text(textOf(box.value)), label]
      }
  }
}

function drawProgress(box: Members): Drawing {
  const bar = isMembers(box.style) ? box.style.bar : undefined
  const { value, max = 1 } = box
  if (bar === 'rating') {
    const stars = Math.min(Math.max(Math.round(Number(max)) || 0, 0), 10)
    const full = Math.min(Math.max(Math.round(Number(value)) || 0, 0), stars)
    return { children: [text('★'.repeat(full) + '☆'.repeat(stars - full))] }
  }
  return { tagName: 'progress', attributes: typeof value === 'number' ? { value, max } : {} }
}

/** Returns the address of a picture; without a type, it is a PNG. */
function pictureOf(base64: unknown): string | undefined {
  const data = textOf(base64).replaceAll(/\s/g, '')
  if (data === '') {
    return undefined
  }
  return /^data:image\//i.test(data) ? data : `data:image/png;base64,${data}`
}

/** Lengths are numbers of pixels, with or without `px`. */
function lengthOf(value: unknown): string | undefined {
  const [, number] = /^(-?\d+(?:\.\d+)?)(?:px)?$/.exec(textOf(value)) ?? []
  return number === undefined ? undefined : `${number}px`
}

/** Names, colours and numbers; nothing with a URL. */
const wordOf = (value: unknown): string | undefined =>
  /^[#\w\s"',.%()-]+$/.test(textOf(value)) ? textOf(value) : undefined

const ALIGNED: Record<string, string> = {
  left: 'flex-start',
  top: 'flex-start',
  center: 'center',
  right: 'flex-end',
  bottom: 'flex-end'
}

/** Returns the style of a wireframe. Positions are those on the screen, also of a wireframe in another. */
function styleOf(box: Members): string {
  const style = isMembers(box.style) ? box.style : {}
  const picture = pictureOf(style.backgroundImage)
  const [across, down] = [
    ALIGNED[textOf(style.horizontalAlign)],
    ALIGNED[textOf(style.verticalAlign)]
  ]
  const hasBorder = ['borderWidth', 'borderRadius', 'borderColor'].some((name) => name in style)
  const values: Record<string, string | undefined> = {
    position: 'fixed',
    'box-sizing': 'border-box',
    overflow: 'hidden',
    left: lengthOf(box.x) ?? '0',
    ...(box.isAtBottom === true ? { bottom: '0' } : { top: lengthOf(box.y) ?? '0' }),
    width: box.width === '100vw' ? '100vw' : lengthOf(box.width),
    height: lengthOf(box.height),
    color: wordOf(style.color),
    'background-color': wordOf(style.backgroundColor),
    'background-image': picture && /^[\w:/;,+=-]+$/.test(picture) ? `url("${picture}")` : undefined,
    'background-size': wordOf(style.backgroundSize),
    'background-repeat': picture && 'no-repeat',
    'border-style': hasBorder ? 'solid' : undefined,
    'border-width': lengthOf(style.borderWidth) ?? (hasBorder ? '0' : undefined),
    'border-radius': lengthOf(style.borderRadius),
    'border-color': wordOf(style.borderColor),
    'font-size': lengthOf(style.fontSize),
    'font-family': wordOf(style.fontFamily),
    'padding-left': lengthOf(style.paddingLeft),
    'padding-right': lengthOf(style.paddingRight),
    'padding-top': lengthOf(style.paddingTop),
    'padding-bottom': lengthOf(style.paddingBottom),
    display: across || down ? 'flex' : undefined,
    'justify-content': across,
    'align-items': down
  }
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}:${value}`)
    .join(';')
}
