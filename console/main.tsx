import { signal } from '@preact/signals'
import { render } from 'preact'
import { takeCode } from './address.ts'
import { ApiError, describeKey, redeem } from './api.ts'
import { Toast, toast } from './parts.tsx'
import { enter, forget, isRemembered, keep, key, own } from './session.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { browserName } from './words.ts'

/** Why the sign-in is shown, in words; undefined while the key is being checked. */
const said = signal<string | undefined>(undefined)
const isChecking = signal(true)

/** Exchanges the code of an invitation, if the address has one, for a key of this browser. */
async function useCode(): Promise<void> {
  const code = takeCode()
  if (code === undefined) {
    return
  }
  isChecking.value = true
  try {
    const { value } = await redeem(code, browserName())
    enter(value, await describeKey(value), false)
    toast('This browser has a key of its own now. It is forgotten when you close the tab.', {
      label: 'Remember it',
      run: () => keep(true)
    })
  } catch (error) {
    said.value = error instanceof Error ? error.message : String(error)
  } finally {
    isChecking.value = false
  }
}

/** Signs in with the code in the address, or with the key that was kept. */
async function begin(): Promise<void> {
  await useCode()
  const kept = key.value
  if (kept !== undefined && own.value === undefined) {
    await useKept(kept)
  }
  isChecking.value = false
}

async function useKept(kept: string): Promise<void> {
  try {
    enter(kept, await describeKey(kept), isRemembered.value)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      forget()
      said.value =
        'The key of this browser is revoked or expired. Ask an admin for an invitation, or paste another key.'
    } else {
      said.value = `${error instanceof Error ? error.message : error} Reload the page in a minute.`
    }
  }
}

function App() {
  if (isChecking.value) {
    return null
  }
  return (
    <>
      {own.value ? <Shell /> : <SignIn said={said.value} />}
      <Toast />
    </>
  )
}

addEventListener('hashchange', useCode)
render(<App />, document.body)
void begin()
