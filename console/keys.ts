import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** What a key of the keyboard does on the page that is open. */
type PageKey = { key: string; words: string; run: () => void }

const keys = new Set<{ current: PageKey }>()

/** The keys of the page that is open, for the help. */
export const pageKeys = (): PageKey[] => [...keys].map(({ current }) => current)

/** Gives a key a meaning while the component is shown. It works outside fields and dialogs. */
export function useKey(key: string, words: string, run: () => void): void {
  const latest = useRef<PageKey>({ key, words, run })
  latest.current = { key, words, run }
  useEffect(() => {
    keys.add(latest)
    return () => {
      keys.delete(latest)
    }
  }, [])
}

/** Whether the search of persons takes the focus once its page is loaded. */
export const isSearchWanted = signal(false)
