import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type ApiError, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Menu, type MenuItem } from '../menu.tsx'
import { Dialog, Empty, Fault, Skeleton, toast } from '../parts.tsx'
import type { Subject } from './subject.ts'

/** What a dialog needs that lists things of a subject, and makes, changes and removes them. */
export type Managed<T> = {
  /** `Alerts` */
  title: string
  /** `alert` */
  noun: string
  subject: Subject
  /** The path of the list, such as `alerts/`. */
  path: string
  query: Record<string, string | undefined>
  /** Whether one of the list belongs to the subject; all of them by default. */
  isShown?: (item: T) => boolean
  isWriter: boolean
  /** What the empty list says. */
  empty: string
  describe: (item: T) => {
    title: ComponentChildren
    more: ComponentChildren
    tag?: ComponentChildren
  }
  /** Choices beside "Edit" and "Delete". `run` sends a request, and says what it has done. */
  choices?: (item: T, run: Run) => MenuItem[]
  remove: (item: T) => Promise<unknown>
  /** One component for all renderings: another one would lose what was typed. */
  Form: (props: FormProps<T>) => ComponentChildren
  changed?: (() => void) | undefined
  close: () => void
}

type Run = (words: string, request: () => Promise<unknown>) => void

/** A form for one of the list; for a new one without an item. */
export type FormProps<T> = {
  item: T | undefined
  subject: Subject
  /** Called when it is saved, with what was done in words. */
  done: (words: string) => void
  /** Goes back to the list, or closes the dialog if nothing is listed. */
  back: () => void
}

/** A dialog that lists things of a subject, and makes, changes and removes them. */
export function Manage<T extends { id: number | string }>(managed: Managed<T>) {
  const { title, noun, subject, path, query, isWriter, close } = managed
  const { isShown = () => true } = managed
  const list = useLoaded(path + JSON.stringify(query), async (signal) => {
    const { results } = await call<{ results: T[] }>('GET', path, { query, signal })
    return results.filter(isShown)
  })
  const edited = useSignal<{ item: T | undefined } | undefined>(undefined)
  const refused = useSignal<ApiError | undefined>(undefined)
  const items = list.data
  const refresh = (words: string) => {
    edited.value = undefined
    list.reload()
    managed.changed?.()
    toast(words)
  }
  const run: Run = (words, request) => {
    refused.value = undefined
    request().then(
      () => refresh(words),
      (error) => {
        refused.value = error as ApiError
      }
    )
  }
  const { Form } = managed
  const isFirst = isWriter && items?.length === 0
  if (edited.value || isFirst) {
    return (
      <Form
        item={edited.value?.item}
        subject={subject}
        done={refresh}
        back={() => {
          if (isFirst) {
            close()
          }
          edited.value = undefined
        }}
      />
    )
  }
  return (
    <Dialog
      title={title}
      words={subject.name}
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Close
          </button>
          {isWriter && (
            <button
              type="button"
              class="b main-b"
              onClick={() => {
                edited.value = { item: undefined }
              }}
            >
              New {noun}
            </button>
          )}
        </>
      }
    >
      {list.error && <Fault error={list.error} retry={list.reload} />}
      {!items && !list.error && <Skeleton rows={3} />}
      {items?.length === 0 && <Empty title={managed.empty} />}
      {items && items.length > 0 && (
        <ul class="managed">
          {items.map((item) => (
            <Row
              key={item.id}
              item={item}
              managed={managed}
              run={run}
              edit={() => {
                edited.value = { item }
              }}
            />
          ))}
        </ul>
      )}
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}

type RowProps<T> = { item: T; managed: Managed<T>; run: Run; edit: () => void }

function Row<T>({ item, managed, run, edit }: RowProps<T>) {
  const { noun, isWriter, describe, choices, remove } = managed
  const isRemoving = useSignal(false)
  const { title, more, tag } = describe(item)
  return (
    <li>
      <div class="grow">
        <p class="row">
          <b class="cut">{title}</b>
          {tag}
        </p>
        <p class="mut small-text">{more}</p>
      </div>
      {isWriter && !isRemoving.value && (
        <Menu
          label={`Change this ${noun}`}
          items={[
            { name: 'Edit…', icon: 'edit', run: edit },
            ...(choices?.(item, run) ?? []),
            {
              name: 'Delete…',
              icon: 'erase',
              isDanger: true,
              run: () => {
                isRemoving.value = true
              }
            }
          ]}
        />
      )}
      {isRemoving.value && (
        <div class="row ask">
          <button
            type="button"
            class="b small"
            ref={(button) => button?.focus()}
            onClick={() => {
              isRemoving.value = false
            }}
          >
            Keep the {noun}
          </button>
          <button
            type="button"
            class="b small danger"
            onClick={() => run(`The ${noun} is deleted`, () => remove(item))}
          >
            <Icon name="erase" small />
            Delete the {noun}
          </button>
        </div>
      )}
    </li>
  )
}
