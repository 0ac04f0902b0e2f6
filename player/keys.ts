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

/** Listens to the keys of the player, where they have no other meaning: in a list of options, arrows choose. */
export function listenToKeys({ toggle, move, changeSpeed, toggleFull }: Actions): void {
  const actions: Record<string, () => void> = {
    ' ': toggle,
    k: toggle,
    ArrowLeft: () => move(-STEP),
    ArrowRight: () => move(STEP),
    '<': () => changeSpeed(-1),
    '>': () => changeSpeed(1),
    f: toggleFull
  }
  document.addEventListener('keydown', (event) => {
    const action = actions[event.key]
    const isCombined = event.ctrlKey || event.metaKey || event.altKey
    if (action && !isCombined && !isTaken(event)) {
      event.preventDefault()
      if (!(event.repeat && SWITCHES.has(event.key))) {
        action()
      }
    }
  })
}

/** Keeps Enter from pressing a button again and again while it is held down. */
export function holdOnce(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') {
    event.preventDefault()
  }
}

/** Whether the focused element uses the key itself. */
function isTaken({ key, target }: KeyboardEvent): boolean {
  if (target instanceof HTMLSelectElement) {
    return true
  }
  const isPressed = target instanceof HTMLButtonElement || isCheckbox(target)
  return key === ' ' && isPressed
}

const isCheckbox = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type === 'checkbox'
