import { useSignal } from '@preact/signals'
import { type ApiError, call } from './api.ts'
import { Icon } from './icons.tsx'
import { useLoaded } from './loaded.ts'

/** A page of a list in the answers of the API. */
export type Page<T> = { count: number; next: string | null; results: T[] }

/** A list whose pages are added one by one. */
export type Paged<T> = {
  /** The rows of the pages so far; undefined until the first one is there. */
  rows: T[] | undefined
  count: number | undefined
  error: ApiError | undefined
  hasMore: boolean
  isLoading: boolean
  more: () => Promise<void>
  reload: () => void
}

type Added<T> = { after: Page<T> | undefined; rows: T[]; next: string | null }

/** Loads the first page of a list, and further ones when they are asked for. */
export function usePaged<T>(path: string, query: Record<string, string | undefined>): Paged<T> {
  const first = useLoaded(JSON.stringify([path, query]), (signal) =>
    call<Page<T>>('GET', path, { query, signal })
  )
  const added = useSignal<Added<T>>({ after: undefined, rows: [], next: null })
  const fault = useSignal<ApiError | undefined>(undefined)
  const isLoading = useSignal(false)
  const page = first.data
  const { rows, next } =
    added.value.after === page ? added.value : { rows: [], next: page?.next ?? null }
  const more = async () => {
    isLoading.value = true
    try {
      const further = await call<Page<T>>('GET', path, {
        query: Object.fromEntries(new URL(next ?? '').searchParams)
      })
      added.value = { after: page, rows: [...rows, ...further.results], next: further.next }
      fault.value = undefined
    } catch (error) {
      fault.value = error as ApiError
    } finally {
      isLoading.value = false
    }
  }
  return {
    rows: page && [...page.results, ...rows],
    count: page?.count,
    error: first.error ?? fault.value,
    hasMore: next !== null,
    isLoading: isLoading.value,
    more,
    reload: first.reload
  }
}

/** The button below a list that has further pages. */
export const More = <T,>({ list }: { list: Paged<T> }) =>
  list.hasMore ? (
    <button type="button" class="more" disabled={list.isLoading} onClick={list.more}>
      Show more
      <Icon name="next" small />
    </button>
  ) : null
