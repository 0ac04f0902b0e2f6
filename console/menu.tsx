import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'

/** A choice of a menu. `isDanger` is for what removes something. */
export type MenuItem = { name: string; icon?: IconName; run: () => void; isDanger?: boolean }

type MenuProps = {
  /** What assistive technology calls the button. */
  label: string
  items: MenuItem[]
  /** What the button shows; three dots by default. */
  children?: ComponentChildren
}

/** Space between a menu and its button, and to the edge of the window, pixels. */
const GAP = 4

/** Puts a menu below its button, or above it where there is more room, within the window. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, right } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const isBelow = bottom + GAP + height <= innerHeight || bottom < innerHeight - top
  menu.style.top = `${isBelow ? bottom + GAP : Math.max(GAP, top - GAP - height)}px`
  menu.style.left = `${Math.max(GAP, Math.min(right - width, innerWidth - width - GAP))}px`
}

/**
 * A button that opens a list of choices. Arrow keys, Home, End and first letters move in it, Escape
 * closes it.
 */
export function Menu({ label, items, children }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const choices = () => [...(menu.current?.querySelectorAll('button') ?? [])]
  const move = (event: KeyboardEvent) => {
    const all = choices()
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    const letter = event.key.length === 1 ? event.key.toLowerCase() : ''
    const named = [...all.slice(at + 1), ...all].find((one) =>
      one.textContent.trim().toLowerCase().startsWith(letter)
    )
    const goals: Record<string, HTMLButtonElement | undefined> = {
      ArrowDown: all[(at + 1) % all.length],
      ArrowUp: all.at((at <= 0 ? all.length : at) - 1),
      Home: all[0],
      End: all.at(-1)
    }
    // Letters are not for the console while the menu is open.
    event.stopPropagation()
    if (event.key === 'Tab') {
      menu.current?.hidePopover()
    } else if (event.key in goals || (letter.trim() !== '' && !event.ctrlKey && !event.metaKey)) {
      event.preventDefault()
      ;(goals[event.key] ?? named)?.focus()
    }
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={children ? 'b' : 'b icon quiet small dots'}
        aria-label={label}
        title={children ? undefined : label}
        aria-haspopup="menu"
        popovertarget={id}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') {
            event.preventDefault()
            menu.current?.showPopover()
          }
        }}
      >
        {children ?? <Icon name="more" small />}
      </button>
      <div
        ref={menu}
        id={id}
        class="drop"
        role="menu"
        aria-label={label}
        popover="auto"
        onKeyDown={move}
        onToggle={(event) => {
          const isOpen = event.newState === 'open'
          button.current?.setAttribute('aria-expanded', String(isOpen))
          if (isOpen && menu.current && button.current) {
            place(menu.current, button.current)
            choices()[0]?.focus()
          }
        }}
      >
        {items.map(({ name, icon, run, isDanger }) => (
          <button
            key={name}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={isDanger ? 'danger-quiet' : ''}
            onClick={() => {
              menu.current?.hidePopover()
              run()
            }}
          >
            {icon && <Icon name={icon} small />}
            {name}
          </button>
        ))}
      </div>
    </>
  )
}
