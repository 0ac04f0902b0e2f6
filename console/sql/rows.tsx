import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { addressOf } from '../address.ts'
import { CopyButton, Dialog, Name } from '../parts.tsx'
import { may } from '../session.ts'
import { count } from '../words.ts'
import {
  columnsOf,
  rankedColumn,
  rowsInView,
  type ShownColumn,
  textOfCell,
  wholeText
} from './cells.ts'
import type { SqlAnswer } from './statement.ts'

/** Height of a row, pixels, as in the style sheet. */
const ROW_HEIGHT = 36

/** The answer as a table. Only rows in view are elements, so that many of them scroll. */
export function Rows({ answer }: { answer: SqlAnswer }) {
  const { results } = answer
  const columns = useMemo(() => columnsOf(answer), [answer])
  const ranked = useMemo(() => rankedColumn(columns, results), [columns, results])
  const box = useRef<HTMLDivElement>(null)
  const view = useSignal({ top: 0, height: 600 })
  const opened = useSignal<number | undefined>(undefined)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) {
      return
    }
    element.scrollTop = 0
    const measure = () => {
      view.value = { top: element.scrollTop, height: element.clientHeight }
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [answer])
  const { from, until } = rowsInView({ ...view.value, rowHeight: ROW_HEIGHT }, results.length)
  const largest = useMemo(
    () => Math.max(0, ...(ranked === undefined ? [] : results.map((row) => Number(row[ranked])))),
    [ranked, results]
  )
  const number = String(results.length).length
  const move = (event: KeyboardEvent) => stepTo(event, box.current, from, until)
  return (
    <>
      <section
        ref={box}
        class="sql-rows"
        aria-label="Rows"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it
        tabIndex={0}
        onScroll={(event) => {
          view.value = { ...view.value, top: event.currentTarget.scrollTop }
        }}
      >
        <table
          class="table"
          aria-rowcount={results.length + 1}
          style={{ '--digits': number, minWidth: widthOf(columns) }}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th class="at">
                <span class="vh">Row</span>
              </th>
              {columns.map((column, i) => (
                <th
                  key={i}
                  class={column.kind === 'number' ? 'num' : ''}
                  title={column.type}
                  style={{ width: `calc(${column.width}ch + 24px)` }}
                >
                  <Name>{column.name}</Name>
                </th>
              ))}
              {ranked !== undefined && (
                <th class="bars wide-only">
                  <span class="vh">{columns[ranked]?.name}, drawn</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody onKeyDown={move}>
            <Space rows={from} />
            {results.slice(from, until).map((row, i) => (
              <tr key={from + i} aria-rowindex={from + i + 2}>
                <td class="at">
                  <button
                    type="button"
                    class="at-b"
                    data-row
                    aria-label={`Row ${count(from + i + 1)}`}
                    onClick={() => {
                      opened.value = from + i
                    }}
                  >
                    {from + i + 1}
                  </button>
                </td>
                {columns.map((column, place) => (
                  <Cell key={place} value={row[place]} column={column} />
                ))}
                {ranked !== undefined && (
                  <td class="bars wide-only">
                    <Bar value={Number(row[ranked])} largest={largest} />
                  </td>
                )}
              </tr>
            ))}
            <Space rows={results.length - until} />
          </tbody>
        </table>
      </section>
      {opened.value !== undefined && (
        <RowDialog
          at={opened.value}
          columns={columns}
          row={results[opened.value] ?? []}
          close={() => {
            opened.value = undefined
          }}
        />
      )}
    </>
  )
}

/** The width that the columns take at least. */
const widthOf = (columns: readonly ShownColumn[]): string =>
  `calc(${columns.reduce((sum, { width }) => sum + width, 0)}ch + ${columns.length * 24}px + 56px)`

/** Stands for rows that are not in view. */
const Space = ({ rows }: { rows: number }) =>
  rows > 0 ? <tr class="space" style={{ height: `${rows * ROW_HEIGHT}px` }} /> : null

/** Moves the focus by arrow keys, also to a row that is not in view yet. */
function stepTo(event: KeyboardEvent, box: HTMLElement | null, from: number, until: number): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const buttons = [...(box?.querySelectorAll<HTMLElement>('.at-b') ?? [])]
  const at = buttons.indexOf(document.activeElement as HTMLElement)
  const next = step && at >= 0 && at + step < until - from ? buttons[at + step] : undefined
  if (next) {
    event.preventDefault()
    next.focus()
  }
}

function Cell({ value, column }: { value: unknown; column: ShownColumn }) {
  const text = textOfCell(value, column)
  if (value === null || value === undefined) {
    return <td class={column.kind === 'number' ? 'num mut null' : 'mut null'}>null</td>
  }
  switch (column.kind) {
    case 'number':
      return <td class="num">{text}</td>
    case 'time':
      return (
        <td>
          <time dateTime={String(value)} title={String(value)}>
            {text}
          </time>
        </td>
      )
    case 'uuid':
      return (
        <td class="mono">
          {isPerson(column) ? <a href={addressOf(['persons', text])}>{text}</a> : text}
        </td>
      )
    default:
      return (
        <td class="mono">
          <Name>{text}</Name>
        </td>
      )
  }
}

/** Whether the ids of a column are those of persons; events have a `uuid`. */
const isPerson = ({ name }: ShownColumn): boolean => may('person:read') && name !== 'uuid'

function Bar({ value, largest }: { value: number; largest: number }) {
  const width = largest > 0 ? Math.max(1, (value / largest) * BAR_WIDTH) : 0
  return (
    <svg viewBox={`0 0 ${BAR_WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      {value > 0 && <rect width={width} height={10} rx={2} />}
    </svg>
  )
}

/** Width of the longest bar in its own measure. */
const BAR_WIDTH = 300

type RowDialogProps = {
  at: number
  columns: readonly ShownColumn[]
  row: readonly unknown[]
  close: () => void
}

/** A row with its whole values. */
const RowDialog = ({ at, columns, row, close }: RowDialogProps) => (
  <Dialog
    title={`Row ${count(at + 1)}`}
    close={close}
    footer={
      <button type="button" class="b" onClick={close}>
        Close
      </button>
    }
  >
    <dl class="kv whole-row">
      {columns.map(({ name, type }, place) => (
        <div key={place}>
          <dt title={type}>
            <Name>{name}</Name>
          </dt>
          <dd>
            <span class={row[place] === null ? 'grow mut null' : 'grow mono wrap-any'}>
              <bdi>{wholeText(row[place] ?? null)}</bdi>
            </span>
            <CopyButton text={wholeText(row[place] ?? null)} label={`Copy ${name}`} />
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
