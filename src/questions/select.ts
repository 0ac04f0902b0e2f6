/** A property of an event or a person, by its name. */
type PropertyPath = { of: 'event' | 'person'; key: string }

const NAME = String.raw`[$A-Za-z_][$\w-]*`

/** `properties.$browser`, `properties["a b"]` or `person.properties['plan']` */
const PROPERTY = new RegExp(
  String.raw`^(person\.)?properties(?:\.(${NAME})|\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])$`
)

/**
 * Takes the label off an item of a `select`: `person_display_name -- Person` →
 * `person_display_name`
 */
export const withoutLabel = (item: string): string => item.replace(/\s+--\s.*$/s, '').trim()

/** Returns what an item of a `select` is called: `person_display_name -- Person` → `Person` */
export const labelOf = (item: string): string => /\s--\s+(\S.*)$/s.exec(item)?.[1]?.trim() ?? item

/** Reads the path of a property; undefined for any other text. */
export function readPropertyPath(text: string): PropertyPath | undefined {
  const [found, person, name, quoted = ''] = PROPERTY.exec(text) ?? []
  if (found === undefined) {
    return undefined
  }
  const key = name ?? unquote(quoted)
  return { of: person ? 'person' : 'event', key }
}

/** `'it\'s'` → `it's` */
export const unquote = (quoted: string): string => quoted.slice(1, -1).replace(/\\(.)/gs, '$1')
