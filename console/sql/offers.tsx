import { useSignal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type Completion, complete, type KnownNames, NOTHING } from './completion.ts'
import type { Suggestion } from './suggestion.ts'

type OffersSource = {
  text: string
  names: KnownNames
  /** Asks for names that would be offered if they were known. */
  want: (wanted: Completion['wanted']) => void
}

/** The list of suggestions: when it is open, and which of them is chosen. */
export function useOffers(
  { text, names, want }: OffersSource,
  field: { current: HTMLTextAreaElement | null },
  layer: { current: HTMLPreElement | null }
) {
  const id = useId()
  const state = useSignal<'closed' | 'typing' | 'asked'>('closed')
  const active = useSignal(0)
  const place = useSignal({ left: 0, top: 0 })
  const caret = field.current?.selectionStart ?? 0
  const completion =
    state.value === 'closed'
      ? NOTHING
      : complete(text, caret, names, { isAsked: state.value === 'asked' })
  const { suggestions, from, wanted } = completion
  const isOpen = suggestions.length > 0
  const at = Math.min(active.value, suggestions.length - 1)
  useEffect(() => {
    if (wanted.length > 0) {
      want(wanted)
    }
  }, [wanted.join()])
  useEffect(() => {
    active.value = 0
  }, [text])
  useLayoutEffect(() => {
    if (isOpen && layer.current) {
      place.value = placeOf(layer.current, from)
    }
  }, [isOpen, from, text])
  const close = () => {
    state.value = 'closed'
  }
  return {
    id,
    completion,
    isOpen,
    at,
    place: place.value,
    close,
    open(isAsked: boolean) {
      state.value = isAsked ? 'asked' : 'typing'
    },
    /** Offers anew after something was typed. */
    wake() {
      state.value = 'typing'
    },
    /** Returns whether a key was meant for the list. */
    press({ key }: KeyboardEvent, accept: (suggestion: Suggestion) => void): boolean {
      const chosen = suggestions[at]
      if (!isOpen || !chosen) {
        return false
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[key]
      if (step) {
        active.value = (at + step + suggestions.length) % suggestions.length
        return true
      }
      if (key === 'Enter' || key === 'Tab') {
        accept(chosen)
        return true
      }
      if (key === 'Escape') {
        close()
        return true
      }
      if (key.startsWith('Arrow') || key === 'Home' || key === 'End') {
        close()
      }
      return false
    }
  }
}

/** Width of the list, pixels, as far as there is room. */
const LIST_WIDTH = 340

/** Returns where the list begins: below an offset of the text, within the box. */
function placeOf(layer: HTMLElement, offset: number): { left: number; top: number } {
  const box = layer.closest('.editor-box')?.getBoundingClientRect()
  const point = rectAt(layer, offset)
  if (!box || !point) {
    return { left: 0, top: 0 }
  }
  const most = Math.max(0, box.width - LIST_WIDTH - 8)
  return {
    left: Math.max(0, Math.min(point.left - box.left - 8, most)),
    top: point.bottom - box.top + 2
  }
}

/** Returns where a character of the coloured text is; its lines are elements without their ends. */
function rectAt(layer: HTMLElement, offset: number): DOMRect | undefined {
  let rest = offset
  for (const line of layer.children) {
    const length = line.textContent.length
    if (rest <= length) {
      return rectIn(line, rest)
    }
    rest -= length + 1
  }
  return undefined
}

function rectIn(line: Element, offset: number): DOMRect {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  let rest = offset
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0
    if (rest <= length) {
      const range = document.createRange()
      range.setStart(node, rest)
      return range.getBoundingClientRect()
    }
    rest -= length
  }
  return line.getBoundingClientRect()
}

type OffersProps = {
  offers: ReturnType<typeof useOffers>
  accept: (suggestion: Suggestion) => void
}

export function Offers({ offers: { id, at, place, completion }, accept }: OffersProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <div
      ref={list}
      id={id}
      class="offers"
      role="listbox"
      aria-label="Suggestions"
      style={{ left: `${place.left}px`, top: `${place.top}px` }}
    >
      {completion.suggestions.map((suggestion, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
        <div
          key={suggestion.insert}
          id={`${id}-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === at}
          data-active={i === at || undefined}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => accept(suggestion)}
        >
          <bdi class="cut grow">{suggestion.label.slice(0, 300)}</bdi>
          <span class="mut">{suggestion.hint}</span>
        </div>
      ))}
    </div>
  )
}
