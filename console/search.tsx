import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'

/** Time after the last letter until the search begins, ms. */
const PAUSE_MS = 200

type SearchFieldProps = {
  label: string
  placeholder: string
  /** What is searched for. Another text than the last typed one comes from a link or the history. */
  search: string
  /** Searches for what was typed. */
  find: (text: string) => void
  id?: string
  class?: string
  field?: RefObject<HTMLInputElement | null>
}

/** A field that searches once one stops typing. */
export function SearchField(props: SearchFieldProps) {
  const { label, placeholder, search, find, id, class: look = 'in', field } = props
  const typed = useSignal(search)
  const sent = useRef(search)
  const latest = useRef(find)
  latest.current = find
  const text = typed.value
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text !== sent.current) {
        sent.current = text
        latest.current(text)
      }
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    if (search !== sent.current) {
      sent.current = search
      typed.value = search
    }
  }, [search])
  return (
    <div class="searchbox">
      <Icon name="search" />
      <input
        ref={field ?? null}
        id={id}
        type="search"
        class={look}
        placeholder={placeholder}
        aria-label={label}
        value={text}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
    </div>
  )
}
