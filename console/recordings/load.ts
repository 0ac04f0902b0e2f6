import { signal, useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { useLoaded } from '../loaded.ts'
import type { Recording, RecordingList } from './api.ts'
import { queryOf, type Wanted } from './filters.ts'

/** Recordings per page. */
const PAGE = '50'

/** The recordings that were opened since the page was loaded. */
const seen = signal<ReadonlySet<string>>(new Set())

/** Notes that a recording was opened. */
export function see(id: string): void {
  if (!seen.value.has(id)) {
    seen.value = new Set([...seen.value, id])
  }
}

/** The pages of a list that are loaded. */
export type Recordings = {
  rows: Recording[] | undefined
  total: number | undefined
  error: ApiError | undefined
  next: string | null
  isLoading: boolean
  reload: () => void
  /** Loads the next page. @returns its recordings */
  more: () => Promise<Recording[]>
  isSeen: (recording: Recording) => boolean
}

type More = { first: RecordingList; rows: Recording[]; next: string | null }

/** Loads a list of recordings, page by page. */
export function useRecordings(wanted: Wanted): Recordings {
  const query = queryOf(wanted)
  const loaded = useLoaded(JSON.stringify(query), (signal) =>
    call<RecordingList>('GET', 'session_recordings/', { query: { ...query, limit: PAGE }, signal })
  )
  const added = useSignal<More | undefined>(undefined)
  const failed = useSignal<ApiError | undefined>(undefined)
  const isLoading = useSignal(false)
  const first = loaded.data
  const pages = first && added.value?.first === first ? added.value : undefined
  const next = (pages ? pages.next : first?.next) ?? null
  const more = async (): Promise<Recording[]> => {
    if (!first || next === null || isLoading.value) {
      return []
    }
    isLoading.value = true
    failed.value = undefined
    try {
      const page = await call<RecordingList>('GET', 'session_recordings/', {
        query: Object.fromEntries(new URL(next).searchParams)
      })
      added.value = { first, rows: [...(pages?.rows ?? []), ...page.results], next: page.next }
      return page.results
    } catch (error) {
      failed.value = error as ApiError
      return []
    } finally {
      isLoading.value = false
    }
  }
  return {
    rows: first && [...first.results, ...(pages?.rows ?? [])],
    total: first?.count,
    error: loaded.error ?? failed.value,
    next,
    isLoading: isLoading.value,
    reload: loaded.error ? loaded.reload : () => void more(),
    more,
    isSeen: ({ id, viewed }) => viewed || seen.value.has(id)
  }
}
