import { useMemo, useRef } from 'preact/hooks'
import type { Completion, KnownNames } from './completion.ts'
import { Offers, useOffers } from './offers.tsx'
import { linesOf, type Piece, piecesOf } from './pieces.ts'
import type { Suggestion } from './suggestion.ts'

/** What the page can do with the editor. */
export type EditorHandle = {
  /** Writes a text at the caret. */
  insert: (text: string) => void
  /** Writes a text in place of the whole statement. */
  replace: (text: string) => void
  /** Puts the caret at an offset. */
  goTo: (at: number) => void
}

type EditorProps = {
  text: string
  change: (text: string) => void
  names: KnownNames
  /** Asks for names that would be offered if they were known. */
  want: (wanted: Completion['wanted']) => void
  run: () => void
  /** The offset of a fault in the text. */
  wrongAt: number | undefined
  /** The id of what describes the fault. */
  faultId: string | undefined
  handle: { current: EditorHandle | undefined }
}

/** A field for a statement: coloured, with the numbers of its lines and suggestions. */
export function Editor(props: EditorProps) {
  const { text, change, names, run, wrongAt, faultId, handle } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const layer = useRef<HTMLPreElement>(null)
  const lines = useMemo(() => linesOf(piecesOf(text, names.vocabulary)), [text, names.vocabulary])
  const isWrongAtEnd = wrongAt !== undefined && wrongAt >= text.trimEnd().length
  const offers = useOffers(props, field, layer)
  const write = (from: number, until: number, written: string, caret = written.length) => {
    const element = field.current
    if (!element) {
      return
    }
    element.focus()
    element.setSelectionRange(from, until)
    replaceSelection(element, written)
    element.setSelectionRange(from + caret, from + caret)
    change(element.value)
  }
  handle.current = {
    insert(written) {
      const { selectionStart: from = text.length, selectionEnd: until = text.length } =
        field.current ?? {}
      write(from, until, written)
    },
    replace(written) {
      write(0, field.current?.value.length ?? 0, written)
      offers.close()
    },
    goTo(at) {
      field.current?.focus()
      field.current?.setSelectionRange(at, at)
    }
  }
  const accept = (suggestion: Suggestion) => {
    const { from, until } = offers.completion
    offers.close()
    write(from, until, suggestion.insert, suggestion.caret)
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) {
      return
    }
    const isCommand = event.ctrlKey || event.metaKey
    if (event.key === 'Enter' && isCommand) {
      event.preventDefault()
      offers.close()
      run()
    } else if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      offers.open(true)
    } else if (offers.press(event, accept)) {
      event.preventDefault()
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      const { selectionStart: from, selectionEnd: until } =
        event.currentTarget as HTMLTextAreaElement
      write(from, until, `\n${indentAt(text, from)}`)
    }
  }
  return (
    <div class="editor-box">
      <div class="editor">
        <div class="written">
          <pre ref={layer} aria-hidden="true">
            {lines.map((line, i) => (
              <div key={i} class="line">
                {line.map((piece) => (
                  <Part key={piece.at} piece={piece} wrongAt={wrongAt} />
                ))}
                {i === lines.length - 1 && isWrongAtEnd && <span class="wrong"> </span>}
              </div>
            ))}
          </pre>
          <textarea
            ref={field}
            aria-label="Statement"
            aria-keyshortcuts="Control+Enter Meta+Enter"
            aria-invalid={faultId !== undefined}
            aria-describedby={faultId}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={offers.isOpen ? offers.id : undefined}
            aria-activedescendant={offers.isOpen ? `${offers.id}-${offers.at}` : undefined}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            rows={1}
            value={text}
            onInput={(event) => {
              change(event.currentTarget.value)
              offers.wake()
            }}
            onKeyDown={press}
            onClick={offers.close}
            onBlur={offers.close}
          />
        </div>
      </div>
      {offers.isOpen && <Offers offers={offers} accept={accept} />}
      <p class="vh" role="status">
        {offers.isOpen ? `${offers.completion.suggestions.length} suggestions` : ''}
      </p>
    </div>
  )
}

const CLASSES: Partial<Record<Piece['kind'], string>> = {
  keyword: 'k',
  function: 'f',
  text: 's',
  number: 'n',
  comment: 'c'
}

/** A part of the statement in its colour; what is at fault is underlined. */
function Part({ piece, wrongAt }: { piece: Piece; wrongAt: number | undefined }) {
  const { at, text, kind } = piece
  const isWrong = wrongAt !== undefined && at <= wrongAt && wrongAt < at + text.length
  const look = [CLASSES[kind], isWrong && 'wrong'].filter(Boolean).join(' ')
  return <span class={look || undefined}>{text}</span>
}

/** The spaces with which the line at an offset begins. */
const indentAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? ''

/** Replaces what is selected so that the browser can take it back. */
function replaceSelection(element: HTMLTextAreaElement, written: string): void {
  const isWritten =
    written === ''
      ? document.execCommand('delete')
      : document.execCommand('insertText', false, written)
  if (!isWritten) {
    element.setRangeText(written, element.selectionStart, element.selectionEnd, 'end')
  }
}
