import { useSignal } from '@preact/signals'
import { call } from '../api.ts'
import type { SavedInsight } from '../insights/saved.ts'
import { type Loaded, useLoaded } from '../loaded.ts'
import type { Page } from './api.ts'

type Found = Loaded<Page<SavedInsight>> & { more: (() => void) | undefined }

/** Insights per page. */
const PAGE = 50

/** Loads the saved insights that match a text, and more of them when asked. */
export function useInsights(search: string): Found {
  const pages = useSignal({ search, count: 1 })
  const count = pages.value.search === search ? pages.value.count : 1
  const limit = PAGE * count
  const loaded = useLoaded(`${search} ${limit}`, (signal) =>
    call<Page<SavedInsight>>('GET', 'insights/', {
      query: { search, limit: String(limit) },
      signal
    })
  )
  const hasMore = loaded.data?.next !== null && loaded.data !== undefined
  return {
    ...loaded,
    more: hasMore
      ? () => {
          pages.value = { search, count: count + 1 }
        }
      : undefined
  }
}
