import type { Snapshot } from './read.ts'

/*
 * The words on what a visitor clicks. A recording may be forged, so that its elements form circles.
 */

/** rrweb's numbers. */
const [FULL_SNAPSHOT, INCREMENTAL] = [2, 3]
const MUTATION = 0

/** Characters of the longest name: more words are a part of the page. */
const MAX_NAME = 40
/** Nodes within an element whose texts are joined. */
const MAX_WITHIN = 50
/** Steps up from the clicked element to a button: its texts and icons have a few elements around them. */
const MAX_UP = 4
/** Elements that are clicked as a whole. */
const WHOLE = new Set(['a', 'button', 'label', 'summary'])

type Element = { tag: string; text: string; label: string; parent: unknown; children: Set<unknown> }

/** The elements of the page that a recording shows, and their words. */
export class Elements {
  #all = new Map<unknown, Element>()

  /** Takes a recording's next event. */
  follow({ type, data }: Snapshot): void {
    if (type === FULL_SNAPSHOT) {
      this.#all = new Map()
      this.#add(data.node, undefined)
    } else if (type === INCREMENTAL && data.source === MUTATION) {
      this.#change(data)
    }
  }

  /** Returns the words on an element, or on the button or link around it; empty without any. */
  nameOf(id: unknown): string {
    const clicked = this.#all.get(id)
    let around = clicked
    for (let up = 0; around && up < MAX_UP; up += 1) {
      if (WHOLE.has(around.tag)) {
        return around.label || this.#textOf(around)
      }
      around = this.#all.get(around.parent)
    }
    return clicked ? clicked.label || this.#textOf(clicked) : ''
  }

  /** Returns the text within an element; empty for a long text, and for one that the recorder has masked. */
  #textOf(element: Element): string {
    const open = [element]
    const texts: string[] = []
    for (let one = open.pop(); one; one = open.pop()) {
      if (texts.push(one.text) > MAX_WITHIN) {
        return ''
      }
      const children = [...one.children].slice(0, MAX_WITHIN)
      open.push(...children.toReversed().flatMap((id) => this.#all.get(id) ?? []))
    }
    return nameFrom(texts.join(' '))
  }

  #add(node: unknown, parent: unknown): void {
    const open = [{ node, parent }]
    for (let one = open.pop(); one; one = open.pop()) {
      const { id, tagName, textContent, attributes, childNodes } = Object(one.node)
      const children = objectsOf(childNodes)
      this.#all.set(id, {
        tag: toText(tagName),
        text: toText(textContent),
        label: labelOf(Object(attributes)),
        parent: one.parent,
        children: new Set(children.map((child) => child.id))
      })
      open.push(...children.map((child) => ({ node: child, parent: id })))
    }
  }

  #change({ texts, removes, adds }: Record<string, unknown>): void {
    for (const { id, value } of objectsOf(texts)) {
      const node = this.#all.get(id)
      if (node) {
        node.text = toText(value)
      }
    }
    for (const { id, parentId } of objectsOf(removes)) {
      this.#all.get(parentId)?.children.delete(id)
    }
    for (const { parentId, node } of objectsOf(adds)) {
      this.#all.get(parentId)?.children.add(Object(node).id)
      this.#add(node, parentId)
    }
  }
}

/** Returns the name of an element by its attributes. */
function labelOf(attributes: Record<string, unknown>): string {
  const { type, value, alt, title, placeholder } = attributes
  const shown = type === 'submit' || type === 'button' ? value : undefined
  return nameFrom(toText(attributes['aria-label'] ?? shown ?? alt ?? title ?? placeholder))
}

/** `" New\n task "` → `New task`; empty without a letter or digit. */
function nameFrom(text: string): string {
  const words = text
    .slice(0, 10 * MAX_NAME)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return words.length <= MAX_NAME && /[\p{L}\p{N}]/u.test(words) ? words : ''
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

const objectsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(Object) : []
