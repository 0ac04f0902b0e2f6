import { isObject, type Json, type JsonObject } from '../../input/json.ts'

/** Texts of a person that are looked for; each costs a comparison with every row. */
export const MAX_TEXTS = 30

/** Shortest text that is looked for, in characters: shorter ones often do not mean the person. */
export const MIN_LENGTH = 3

/** Put in the place of a removed text. */
const REMOVED = '[removed]'

/** Properties of a person that may be an e-mail address. */
const ADDRESSES = ['email', 'Email', '$email']

/**
 * A text stands alone if it begins and ends the value, or stands between these characters, such as
 * `“` and `。`. So `user-1` is in `https://shop.example/?id=user-1&x` and not in `user-12` or
 * `user-1-a`.
 */
const EDGE = '[\\s"\'`/\\\\?&=#,;:<>|!*…、。，；：！？\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}]'

/** ASCII characters of `EDGE` as they stand in a URL, or in a URL within a URL: `%2F`, `%252F`. */
const EDGE_IN_URL = '%(?:25)*(?:0[9ADad]|2[0-36-9ACFacf]|3[A-Fa-f]|5[B-Db-d]|60|7[B-Db-d])'

const BEFORE = `^|${EDGE}|${EDGE_IN_URL}`
/** A dot after the text may end a sentence. */
const AFTER = `$|${EDGE}|${EDGE_IN_URL}|\\.(?:$|\\s)`

type Named = { uuid: string; distinct_ids: readonly string[]; properties: JsonObject }

/** The ids and e-mail addresses of a person, as far as they are looked for. */
export class Texts {
  readonly #ids: RegExp
  readonly #addresses: RegExp
  /** The texts that are looked for. */
  readonly searched: readonly string[]
  /** The number of texts that the person has. */
  readonly total: number
  /** The spellings of these texts in rows: as they are, in URLs and in JSON. */
  readonly spellings: readonly string[]

  /** @param person `distinct_ids` with those first that matter most */
  constructor({ uuid, distinct_ids, properties }: Named) {
    const values = ADDRESSES.flatMap((name) => properties[name] ?? [])
    const addresses = values.flatMap((value) => (isAddress(value) ? [value.trim()] : []))
    const all = [...new Set([...addresses, uuid, ...distinct_ids])]
    this.total = all.length
    this.searched = all.filter((text) => text.length >= MIN_LENGTH).slice(0, MAX_TEXTS)
    this.spellings = this.searched.flatMap(spellingsOf)
    // An e-mail address is the same in upper and lower case, an id is not.
    const isId = (text: string) => !isAddress(text)
    this.#ids = alone(this.searched.filter(isId), '')
    this.#addresses = alone(this.searched.filter(isAddress), 'i')
  }

  /**
   * Returns the patterns of the texts that stand in a value, for the operator `regex` of filters:
   * each matches its text alone, as this class does.
   */
  patternsIn(value: Json): string[] {
    const isWithin = (pattern: RegExp): boolean => isAnywhere(value, (text) => pattern.test(text))
    return this.searched.flatMap((text) => {
      const flags = isAddress(text) ? 'i' : ''
      const any = alternatives([...inUrlsOf(text), ...spellingsOf(text)])
      return isWithin(alone([text], flags))
        ? [`${flags && '(?i)'}(?:${BEFORE})${any}(?:${AFTER})`]
        : []
    })
  }

  /** Whether one of the texts stands in a text, as it is or as in a URL. */
  isIn(text: string): boolean {
    return this.#ids.test(text) || this.#addresses.test(text)
  }

  /** Whether one of the texts stands anywhere in a value, also in the name of a member. */
  isWithin(value: Json): boolean {
    return isAnywhere(value, (text) => this.isIn(text))
  }

  /** Returns a value in which `[removed]` stands for each of the texts. */
  without(value: Json): Json {
    if (Array.isArray(value)) {
      return value.map((item) => this.without(item))
    }
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [this.#cut(name), this.without(member)])
      )
    }
    const isText = typeof value === 'string'
    return isText || this.isWithin(value) ? this.#cut(String(value)) : value
  }

  #cut(text: string): string {
    const all = (pattern: RegExp) => new RegExp(pattern.source, `g${pattern.flags}`)
    return text.replace(all(this.#ids), REMOVED).replace(all(this.#addresses), REMOVED)
  }
}

const isAddress = (value: Json): value is string => typeof value === 'string' && value.includes('@')

/** Returns a text as it stands in URLs. A half of a surrogate pair cannot stand there. */
const inUrl = (text: string): string => encodeURIComponent(text.toWellFormed())

const spellingsOf = (text: string): string[] => [
  ...new Set([text, inUrl(text), JSON.stringify(text).slice(1, -1)])
]

/** Returns the spellings of a text in a URL, and in a URL within a URL. */
const inUrlsOf = (text: string): string[] => [inUrl(text), inUrl(inUrl(text))]

/** Whether a test is true for any text or number in a value, or for the name of any member. */
function isAnywhere(value: Json, test: (text: string) => boolean): boolean {
  if (Array.isArray(value)) {
    return value.some((item) => isAnywhere(item, test))
  }
  if (isObject(value)) {
    return Object.entries(value).some(([name, member]) => test(name) || isAnywhere(member, test))
  }
  return value !== null && test(String(value))
}

/** Returns a group that matches any of these texts, the longest first. */
function alternatives(texts: string[]): string {
  const escaped = [...new Set(texts)]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return `(?:${escaped.join('|')})`
}

/** Returns a pattern for these texts where they stand alone, also as in a URL. */
function alone(texts: string[], flags: string): RegExp {
  const spelt = texts.flatMap((text) => [text, ...inUrlsOf(text)])
  const any = spelt.length > 0 ? alternatives(spelt) : '(?!)'
  return new RegExp(`(?<=${BEFORE})${any}(?=${AFTER})`, `${flags}u`)
}
