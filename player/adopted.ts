import type { Replayer } from '@rrweb/replay'

/*
 * Style sheets that a recorded page made in scripts, and adopted into its documents and shadow roots. rrweb loses them if they
 * are recorded before the shadow root, and when the element around it is moved, because it rebuilds the element.
 */

type Members = Record<string, unknown>

/** A recorded adoption: the ids of the sheets of a document, or of a shadow root's host. */
type Adoption = { id: number; styleIds: number[]; styles?: { styleId: number; rules: unknown }[] }

/** The methods of rrweb that change a sheet. */
type Changer = {
  applyStyleSheetRule(change: Members, sheet: CSSStyleSheet): void
  applyStyleDeclaration(change: Members, sheet: CSSStyleSheet): void
}

/** rrweb's number of a change of a declaration; the others change rules. */
const STYLE_DECLARATION = 13

export class AdoptedSheets {
  readonly #mirror: ReturnType<Replayer['getMirror']>
  readonly #changer: Changer
  /** The ids of adopted sheets, by the id of the document or host. */
  readonly #adopted = new Map<number, number[]>()
  /** All that was done to each sheet, in order. A sheet is made anew in each document that adopts it. */
  readonly #changes = new Map<number, Members[]>()
  readonly #made = new Map<number, Map<Document, CSSStyleSheet>>()

  constructor(replayer: Replayer) {
    this.#mirror = replayer.getMirror()
    this.#changer = replayer as unknown as Changer
  }

  /** Forgets everything: a snapshot of the whole page follows. */
  reset(): void {
    this.#adopted.clear()
    this.#changes.clear()
    this.#made.clear()
  }

  /** @throws if the adoption is damaged */
  adopt({ id, styleIds, styles = [] }: Adoption): void {
    if (!Array.isArray(styleIds)) {
      throw new TypeError('An adoption has no list of style sheets.')
    }
    for (const { styleId, rules } of styles) {
      this.change(styleId, { adds: rules })
    }
    this.#adopted.set(id, styleIds)
    for (const [owner, ids] of this.#adopted) {
      if (owner === id || styles.some(({ styleId }) => ids.includes(styleId))) {
        this.put(owner)
      }
    }
  }

  /** Changes a sheet, now and in each document that will adopt it. */
  change(styleId: number, change: Members): void {
    const changes = this.#changes.get(styleId) ?? []
    changes.push(change)
    this.#changes.set(styleId, changes)
    for (const sheet of this.#made.get(styleId)?.values() ?? []) {
      this.#apply(change, sheet)
    }
  }

  /** Gives a document or a shadow root its sheets, if it is on the page. */
  put(id: number): void {
    const ids = this.#adopted.get(id)
    const node = this.#mirror.getNode(id) as unknown as Document | Element | null
    const root = node && ('shadowRoot' in node ? node.shadowRoot : node)
    if (ids && root && 'adoptedStyleSheets' in root) {
      const doc = root.ownerDocument ?? (root as Document)
      root.adoptedStyleSheets = ids.flatMap((styleId) => this.#make(styleId, doc))
    }
  }

  #make(styleId: number, doc: Document): CSSStyleSheet[] {
    const changes = this.#changes.get(styleId)
    const Sheet = doc.defaultView?.CSSStyleSheet
    if (!changes || !Sheet) {
      return []
    }
    const byDocument = this.#made.get(styleId) ?? new Map<Document, CSSStyleSheet>()
    const sheet = byDocument.get(doc) ?? new Sheet()
    if (!byDocument.has(doc)) {
      this.#made.set(styleId, byDocument.set(doc, sheet))
      for (const change of changes) {
        this.#apply(change, sheet)
      }
    }
    return [sheet]
  }

  #apply(change: Members, sheet: CSSStyleSheet): void {
    if (change.source === STYLE_DECLARATION) {
      this.#changer.applyStyleDeclaration(change, sheet)
    } else {
      this.#changer.applyStyleSheetRule(change, sheet)
    }
  }
}
