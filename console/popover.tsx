import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

type PopoverProps = {
  label: string
  close: () => void
  children: ComponentChildren
  /** Which edge it shares with what it belongs to. */
  side?: 'left' | 'right'
}

/** Space to the edge of the window, pixels. */
const MARGIN = 8

/**
 * A box below what opened it, which is its sibling in an element of the class `anchor`. Escape and a
 * click elsewhere close it, and the focus returns. On a phone it is a sheet.
 */
export function Popover({ label, close, children, side = 'left' }: PopoverProps) {
  const element = useRef<HTMLDialogElement>(null)
  const latest = useRef(close)
  latest.current = close
  useLayoutEffect(() => {
    const box = element.current
    if (!box || getComputedStyle(box).position === 'fixed') {
      return
    }
    const { left, right } = box.getBoundingClientRect()
    const shift = Math.min(0, innerWidth - MARGIN - right) || Math.max(0, MARGIN - left)
    box.style.translate = `${shift}px`
  }, [])
  // Before the browser shows the box: letters that are typed at once go into its field.
  useLayoutEffect(() => {
    const box = element.current
    const before = document.activeElement
    box?.querySelector<HTMLElement>('[data-first], input, button')?.focus()
    const press = ({ target }: PointerEvent) => {
      if (target instanceof Node && !box?.parentElement?.contains(target)) {
        latest.current()
      }
    }
    addEventListener('pointerdown', press)
    return () => {
      removeEventListener('pointerdown', press)
      const isLost =
        document.activeElement === document.body || box?.contains(document.activeElement)
      if (isLost && before instanceof HTMLElement) {
        before.focus()
      }
    }
  }, [])
  return (
    <dialog
      ref={element}
      open
      class={`pop ${side}`}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          close()
        }
      }}
    >
      {children}
    </dialog>
  )
}
