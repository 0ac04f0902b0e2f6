import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from './api.ts'

/** What a page shows: data, if there are any yet, and the fault of the last attempt. */
export type Loaded<T> = {
  data: T | undefined
  error: ApiError | undefined
  reload: () => void
}

/** Time after which a request is repeated that has reached nobody, ms. */
const RETRY_MS = 5_000

/**
 * Loads data, and loads them again when `name` changes. Old data stay until new ones arrive. A
 * request that has not reached the service is repeated.
 */
export function useLoaded<T>(name: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const data = useSignal<{ name: string; value: T } | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const attempt = useSignal(0)
  const latest = useRef(load)
  latest.current = load
  const tried = attempt.value
  useEffect(() => {
    const controller = new AbortController()
    const repeat = () => {
      attempt.value += 1
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    latest.current(controller.signal).then(
      (value) => {
        data.value = { name, value }
        error.value = undefined
      },
      (fault: unknown) => {
        if (controller.signal.aborted) {
          return
        }
        error.value = fault instanceof ApiError ? fault : new ApiError(String(fault))
        if (error.value.status === 0) {
          timer = setTimeout(repeat, RETRY_MS)
          addEventListener('online', repeat, { once: true })
        }
      }
    )
    return () => {
      controller.abort()
      clearTimeout(timer)
      removeEventListener('online', repeat)
    }
  }, [name, tried])
  return {
    data: data.value?.value,
    error: error.value,
    reload: () => {
      attempt.value += 1
    }
  }
}
