/** What the keys do. `move` goes by so many ms, `changeSpeed` by so many steps. */
type Actions = {
  toggle(): void
  move(ms: number): void
  changeSpeed(steps: number): void
  toggleFull(): void
}

/** Keys that switch something. Held down, they switch it once. */
const SWITCHES = new Set([' ', 'k', 'f'])

/** How far an arrow key goes, ms. */
const STEP = 10_000

/** Fields that use no key of the player but the space bar and arrows. */
const KEYLESS = /^(checkbox|radio|range)$/

type Listening = {
  /** Whether letters are the player's too: the console has other uses for them. */
  hasLetters: boolean
  /** Ends it. */
  signal: AbortSignal
}

/** Listens to the keys of the player, where they have no other meaning: in a list of options, arrows choose. */
export function listenToKeys(
  { toggle, move, changeSpeed, toggleFull }: Actions,
  { hasLetters, signal }: Listening
): void {
  const actions: Record<string, () => void> = {
    ' ': toggle,
    ArrowLeft: () => move(-STEP),
    ArrowRight: () => move(STEP),
    '<': () => changeSpeed(-1),
    '>': () => changeSpeed(1),
    ...(hasLetters && { k: toggle, f: toggleFull })
  }
  const press = (event: KeyboardEvent) => {
    const action = actions[event.key]
    const isCombined = event.ctrlKey || event.metaKey || event.altKey
    if (action && !isCombined && !isTaken(event)) {
      event.preventDefault()
      if (!(event.repeat && SWITCHES.has(event.key))) {
        action()
      }
    }
  }
  document.addEventListener('keydown', press, { signal })
}

/** Keeps Enter from pressing a button again and again while it is held down. */
export function holdOnce(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') {
    event.preventDefault()
  }
}

/** Whether the focused element, or a dialog over the player, uses the key itself. */
function isTaken({ key, target }: KeyboardEvent): boolean {
  if (isField(target) || document.querySelector('dialog[open]')) {
    return true
  }
  const isPressed =
    target instanceof HTMLButtonElement ||
    (target instanceof HTMLInputElement && target.type !== 'range')
  return key === ' ' && isPressed
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !KEYLESS.test(target.type))
