/*
 * Removes from a recording what must never be rebuilt. Recordings arrive by the public capture token, so anyone can forge
 * one. The documents' content security policies and the sandbox around the rebuilt page stop scripts by themselves; this
 * also stops what they do not see, such as `preconnect`, and keeps the console quiet.
 */

/** Elements that are rebuilt as an empty `noscript`: they run, embed or redirect something. */
const ACTIVE = new Set(['script', 'base', 'object', 'embed', 'applet', 'frame', 'portal'])

/** Attributes whose values are addresses; addresses of scripts are removed. */
const ADDRESSES = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'data', 'srcdoc'])

/** Attributes that send or load something by themselves, whatever their value. */
const SENDING = new Set([
  'srcdoc',
  'ping',
  'action',
  'formaction',
  'http-equiv',
  'manifest',
  'referrerpolicy'
])

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
  // `svg:script` and names with a namespace are elements of the same name once they are parsed.
  if (ACTIVE.has(tag.replace(/^.*:/, '')) || (tag === 'link' && !isStylesheet(attributes))) {
    return { ...element, tagName: 'noscript', attributes: {}, childNodes: [] }
  }
  const { isCustom: _, ...rest } = element
  return {
    ...rest,
    attributes: cleanAttributes(attributes),
    childNodes: clean(element.childNodes ?? [])
  }
}

const isStylesheet = ({ rel, _cssText }: Members): boolean =>
  _cssText !== undefined || String(rel).trim().toLowerCase() === 'stylesheet'

const cleanAttributes = (attributes: Members): Members =>
  Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => isHarmless(name.toLowerCase(), value))
  )

function isHarmless(name: string, value: unknown): boolean {
  if (name.startsWith('on') || SENDING.has(name)) {
    return false
  }
  // A mutation may make a `preconnect` of a stylesheet.
  if (name === 'rel' && !isStylesheet({ rel: value })) {
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
 * makes texts of lists.
 */
const isScript = (value: unknown): boolean =>
  /^(javascript|vbscript):/i.test(String(value).replaceAll(/[\s\p{Cc}]/gu, ''))
