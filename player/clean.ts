/*
 * Removes active content from a recording before its pages are rebuilt. Recordings are captured with a public token, so
 * anyone can forge one. The documents' content security policies and the sandbox around the rebuilt page already stop
 * scripts. This module also stops what they do not cover, such as `preconnect`, and keeps the console free of messages about
 * blocked content.
 */

/** Elements that run, embed or redirect something. Each is rebuilt as an empty `noscript`. */
const ACTIVE = new Set(['script', 'base', 'object', 'embed', 'applet', 'frame', 'portal'])

/** Attributes whose values are addresses. They are removed if the address is a script. */
const ADDRESSES = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'data', 'srcdoc'])

/** Attributes that are always removed: they send or load something, or change which referrer is sent. */
const SENDING = new Set([
  'srcdoc',
  'ping',
  'action',
  'formaction',
  'http-equiv',
  'manifest',
  'referrerpolicy'
])

/** The words of `rel` that load style sheets, or leave them for later. All others load, connect or open something else. */
const SHEETS = new Set(['alternate', 'stylesheet'])

/** Handlers that browsers read from attributes, but do not list among the properties of elements. */
const UNLISTED = [
  'onactivate',
  'onbeforecopy',
  'onbeforecut',
  'onbeforepaste',
  'onbegin',
  'onend',
  'onfocusin',
  'onfocusout',
  'onrepeat',
  'onsearch',
  'ontouchcancel',
  'ontouchend',
  'ontouchmove',
  'ontouchstart',
  'onunload',
  'onzoom'
]

/** The attributes that this browser reads as event handlers: others, such as `onboarding`, only begin like them. */
const HANDLERS = new Set(
  [
    ...UNLISTED,
    ...Object.getOwnPropertyNames(globalThis)
      .filter((name) => /^(Window|Element|(HTML|SVG|MathML)\w*Element)$/.test(name))
      .map((name): unknown => Reflect.get(globalThis, name))
      .filter((type) => typeof type === 'function')
      .flatMap((type) => Object.getOwnPropertyNames(type.prototype)),
    ...Object.getOwnPropertyNames(globalThis)
  ].filter((name) => name.startsWith('on'))
)

const isHandler = (name: string): boolean => HANDLERS.has(name)

type Members = Record<string, unknown>

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** Returns an event or a part of one without anything active. Texts and numbers are returned as they are. */
export function clean(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(clean)
  }
  if (!isMembers(value)) {
    return value
  }
  if (value.tagName !== undefined) {
    return cleanElement(value, String(value.tagName).toLowerCase())
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'attributes' && isMembers(member) && !Array.isArray(member)
        ? cleanAttributes(member)
        : clean(member)
    ])
  )
}

function cleanElement(element: Members, tag: string): Members {
  const attributes = isMembers(element.attributes) ? element.attributes : {}
  // A name with a prefix, such as `svg:script`, becomes the element of the same name without it.
  if (ACTIVE.has(tag.replace(/^.*:/, ''))) {
    return { ...element, tagName: 'noscript', attributes: {}, childNodes: [] }
  }
  return {
    ...element,
    attributes: cleanAttributes(attributes),
    childNodes: clean(element.childNodes ?? [])
  }
}

const cleanAttributes = (attributes: Members): Members =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, value]) => isHarmless(name.toLowerCase(), value))
      .map(([name, value]) => [name, name.toLowerCase() === 'rel' ? cleanRel(value) : value])
  )

/**
 * Returns what a `rel` says of a stylesheet: `preload stylesheet` → `stylesheet`. Empty for any other: a `link` with it does
 * nothing, until a change makes it a stylesheet. Null, which removes the attribute in a change, stays.
 */
const cleanRel = (value: unknown): string | null => {
  const words = String(value ?? '')
    .toLowerCase()
    .split(/\s+/)
  const kept = words.includes('stylesheet') ? words.filter((word) => SHEETS.has(word)) : []
  return value === null ? null : kept.join(' ')
}

function isHarmless(name: string, value: unknown): boolean {
  if (isHandler(name) || SENDING.has(name)) {
    return false
  }
  // `<meta name="referrer">` is the only element that needs this name.
  if (name === 'name' && /^\s*referrer\s*$/i.test(String(value))) {
    return false
  }
  return !(ADDRESSES.has(name) && isScript(value))
}

/**
 * Whether an address is a script. Browsers ignore control characters and spaces in front of and within a scheme, and rrweb
 * converts lists to text.
 */
const isScript = (value: unknown): boolean =>
  /^(javascript|vbscript):/i.test(String(value).replaceAll(/[\s\p{Cc}]/gu, ''))
