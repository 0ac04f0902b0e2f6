import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError, call } from '../api.ts'
import type { Answer, QuestionNode } from '../chart/answer.ts'

/** A question that is asked, and the answer to it or to the previous one. */
export type Asked<A = Answer> = {
  /** The last answer, with its question: an older one until the new one is there. */
  shown: { name: string; query: QuestionNode; answer: A; ms: number } | undefined
  error: ApiError | undefined
  isLoading: boolean
  /** How long the answer has taken so far, whole seconds. */
  seconds: number
  cancel: () => void
  reload: () => void
}

/** Asks a question, and again when it changes; the old answer stays meanwhile. */
export function useAnswer<A = Answer>(query: QuestionNode | undefined): Asked<A> {
  const name = JSON.stringify(query)
  const shown = useSignal<Asked<A>['shown']>(undefined)
  const error = useSignal<{ name: string; fault: ApiError } | undefined>(undefined)
  const running = useSignal<AbortController | undefined>(undefined)
  const seconds = useSignal(0)
  const attempt = useSignal(0)
  const tried = attempt.value
  const failed = error.value
  useEffect(() => {
    if (query === undefined) {
      return
    }
    const controller = new AbortController()
    const { signal } = controller
    const begun = performance.now()
    running.value = controller
    seconds.value = 0
    const timer = setInterval(() => {
      seconds.value += 1
    }, 1_000)
    const end = () => {
      clearInterval(timer)
      if (running.value === controller) {
        running.value = undefined
      }
    }
    call<A>('POST', 'query/', { body: { query }, signal }).then(
      (answer) => {
        end()
        shown.value = { name, query, answer, ms: performance.now() - begun }
        error.value = undefined
      },
      (thrown: unknown) => {
        end()
        if (!signal.aborted) {
          const fault = thrown instanceof ApiError ? thrown : new ApiError(String(thrown))
          error.value = { name, fault }
        }
      }
    )
    return () => {
      controller.abort()
      end()
    }
  }, [name, tried])
  return {
    shown: shown.value,
    error: failed && failed.name === name ? failed.fault : undefined,
    isLoading: running.value !== undefined,
    seconds: seconds.value,
    cancel: () => running.value?.abort(),
    reload: () => {
      attempt.value += 1
    }
  }
}
