import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { ApiError } from './api.ts'
import { Icon, type IconName } from './icons.tsx'
import { exactly, momentOf } from './words.ts'

/** A name that others wrote: it cannot turn the direction of the text around it. */
export const Name = ({ children }: { children: string }) => (
  <bdi title={children.slice(0, 300)}>{children.slice(0, 300)}</bdi>
)

export const Top = ({ children }: { children: ComponentChildren }) => (
  <header class="top">{children}</header>
)

export const Moment = ({ at }: { at: string }) => {
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactly(date)}>
      {momentOf(date)}
    </time>
  )
}

/** The initials of a person, or a figure for someone whose name is unknown. */
export const Avatar = ({ name, isBig = false }: { name: string | undefined; isBig?: boolean }) => {
  const letters = (name ?? '')
    .replace(/@.*/s, '')
    .split(/[\s._-]+/)
    .flatMap((word) => /^\p{L}/u.exec(word) ?? [])
  return (
    <span
      class={`av${isBig ? ' big' : ''}${letters.length === 0 ? ' anon' : ''}`}
      aria-hidden="true"
    >
      {letters.length === 0 ? (
        <Icon name="person" />
      ) : (
        [...new Set([letters[0], letters.at(-1)])].slice(0, letters.length).join('').toUpperCase()
      )}
    </span>
  )
}

export const Fault = ({ error, retry }: { error: ApiError; retry?: () => void }) => (
  <div class="note bad" role="alert">
    <Icon name="warning" />
    <p class="grow">
      {error.status === 403
        ? `This key may not see this: it lacks the scope ${/'(.+)'/.exec(error.message)?.[1]}. Ask an admin for an invitation.`
        : error.message}
      {error.status === 0 && ' Trying again in a few seconds.'}
      {error.request && error.status >= 500 && (
        <span class="mut small-text"> Request {error.request}</span>
      )}
    </p>
    {retry && (
      <button type="button" class="b small" onClick={retry}>
        Try again
      </button>
    )}
  </div>
)

type EmptyProps = { title: string; isPage?: boolean; children?: ComponentChildren }

/** Says what would be here. `isPage`: nothing else is on the page. */
export const Empty = ({ title, isPage = false, children }: EmptyProps) => (
  <div class="empty">
    {isPage ? <h1>{title}</h1> : <b>{title}</b>}
    {children}
  </div>
)

/** Boxes of the size of what comes. They appear only if it takes long. */
export const Skeleton = ({ rows }: { rows: number }) => (
  <div class="skeletons" aria-hidden="true">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} class="skeleton" />
    ))}
  </div>
)

type DialogProps = {
  title: string
  words?: string | undefined
  /** Without it, the dialog stays until the page closes it. */
  close?: () => void
  children: ComponentChildren
  footer: ComponentChildren
  /** Whether it has two columns. */
  isWide?: boolean
}

/** The `ref` of the current one of several links in a row, which phones scroll. */
export const broughtIntoView = (link: HTMLElement | null): void =>
  link?.scrollIntoView({ block: 'nearest', inline: 'center' })

type TextField = HTMLInputElement | HTMLTextAreaElement

/** Fields whose text is lost with the dialog: what is searched for is not. */
const TEXT_FIELDS =
  'textarea, input:not([type=checkbox], [type=radio], [type=search], [type=file], [role=combobox])'

/** Tells whether something was typed in the fields of an element. */
function useTyped() {
  const before = useRef(new Map<TextField, string>())
  return {
    onFocusIn: ({ target }: FocusEvent) => {
      const isText = target instanceof Element && target.matches(TEXT_FIELDS)
      if (isText && !before.current.has(target as TextField)) {
        before.current.set(target as TextField, (target as TextField).value)
      }
    },
    isTyped: () =>
      [...before.current].some(([field, text]) => field.isConnected && field.value !== text)
  }
}

/**
 * A dialog holds the focus, and gives it back. Escape closes it; once something is typed, a second
 * time.
 */
export function Dialog({ title, words, close, children, footer, isWide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isAsked = useSignal(false)
  const { onFocusIn, isTyped } = useTyped()
  useLayoutEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) {
        before.focus()
      }
    }
  }, [])
  const leave = () => {
    if (close && isTyped() && !isAsked.value) {
      isAsked.value = true
    } else {
      close?.()
    }
  }
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onFocusIn={onFocusIn}
      onInput={() => {
        isAsked.value = false
      }}
      onKeyDown={(event) => {
        // The browser closes a dialog that refuses a second Escape. While a letter is composed,
        // Escape belongs to the input method.
        if (event.key === 'Escape' && !event.isComposing) {
          event.preventDefault()
          leave()
        }
      }}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      onClose={() => {
        // The browser has closed it, not the page.
        if (element.current) {
          leave()
          element.current.showModal()
        }
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {words && (
          <p class="sec">
            <bdi>{words}</bdi>
          </p>
        )}
      </header>
      <div class="in-d">{children}</div>
      <footer>
        <p class="unsaved" role="status">
          {isAsked.value && 'What you typed is not saved. Press Escape again to discard it.'}
        </p>
        {footer}
      </footer>
    </dialog>
  )
}

type Toasted = { words: string; action?: { label: string; run: () => void } }

const toasted = signal<Toasted | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** Time for which a toast stays, ms. */
const TOAST_MS = 6_000

/** Says what was done. Not for faults. */
export function toast(words: string, action?: Toasted['action']): void {
  toasted.value = { words, ...(action && { action }) }
  hideLater()
}

const stay = () => clearTimeout(timer)

function hideLater(): void {
  stay()
  timer = setTimeout(() => {
    toasted.value = undefined
  }, TOAST_MS)
}

export const Toast = () => (
  <div
    role="status"
    onMouseEnter={stay}
    onMouseLeave={hideLater}
    onFocusIn={stay}
    onFocusOut={hideLater}
  >
    {toasted.value && (
      <div class="toast">
        <Icon name="done" />
        <span>{toasted.value.words}</span>
        {toasted.value.action && (
          <button
            type="button"
            class="b small"
            onClick={() => {
              const { action } = toasted.value ?? {}
              toasted.value = undefined
              action?.run()
            }}
          >
            {toasted.value.action.label}
          </button>
        )}
      </div>
    )}
  </div>
)

export const CopyButton = ({ text, label }: { text: string; label: string }) => (
  <button
    type="button"
    class="b icon small"
    aria-label={label}
    title={label}
    onClick={() => navigator.clipboard.writeText(text).then(() => toast('Copied'))}
  >
    <Icon name="copy" small />
  </button>
)

type CopiedProps = { text: string; label: string; isCut?: boolean }

/** A text to copy. `label` is what its button is called; `isCut` keeps it on one line. */
export const Copied = ({ text, label, isCut = false }: CopiedProps) => (
  <div class="row copied">
    <code class={`code grow ${isCut ? 'cut' : 'wrap-any'}`}>{text}</code>
    <CopyButton text={text} label={label} />
  </div>
)

type OnceProps = { title: string; words: string; label: string; text: string; close: () => void }

/** Shows a text that the service shows once. */
export const Once = ({ title, words, label, text, close }: OnceProps) => (
  <Dialog
    title={title}
    words={words}
    close={close}
    footer={
      <button type="button" class="b main-b" onClick={close}>
        I have kept it
      </button>
    }
  >
    <Copied text={text} label={label} />
  </Dialog>
)

type ScrolledProps = { label: string; class?: string; children: ComponentChildren }

/** What may be wider than its place: it scrolls by itself, also with the keyboard. */
export const Scrolled = ({ label, class: own = '', children }: ScrolledProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
  <section class={`scroll-x ${own}`} aria-label={label} tabIndex={0}>
    {children}
  </section>
)

type IconButtonProps = { icon: IconName; label: string; run: () => void; isPressed?: boolean }

export const IconButton = ({ icon, label, run, isPressed }: IconButtonProps) => (
  <button
    type="button"
    class="b icon quiet small"
    aria-label={label}
    title={label}
    aria-expanded={isPressed}
    onClick={run}
  >
    <Icon name={icon} small />
  </button>
)
