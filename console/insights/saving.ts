import { type Signal, useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'

export type Saving = {
  /** The secret of a webhook that was just made. */
  secret: Signal<string | undefined>
  /** Returns what is wrong with a field. */
  faultOf: (...fields: string[]) => string | undefined
  /** Returns the refusal, unless it is shown at one of these fields. */
  faultBeside: (...fields: string[]) => ApiError | undefined
  save: (request: () => Promise<{ webhook_secret?: string }>) => Promise<void>
}

/** Sends what a form holds. @param done called when it is stored, unless there is a secret to show */
export function useSaving(done: () => void): Saving {
  const refused = useSignal<ApiError | undefined>(undefined)
  const secret = useSignal<string | undefined>(undefined)
  const isAt = (fields: string[]) => fields.includes(refused.value?.attr ?? '')
  return {
    secret,
    faultOf: (...fields) => (isAt(fields) ? refused.value?.message : undefined),
    faultBeside: (...fields) => (isAt(fields) ? undefined : refused.value),
    save: async (request) => {
      try {
        refused.value = undefined
        secret.value = (await request()).webhook_secret
        if (secret.value === undefined) {
          done()
        }
      } catch (error) {
        refused.value = error as ApiError
      }
    }
  }
}

/** Makes one of a list, or changes the one with the id. @throws ApiError */
export const put = <T>(path: string, id: number | string | undefined, body: object): Promise<T> =>
  id === undefined ? call('POST', path, { body }) : call('PATCH', `${path}${id}/`, { body })
