import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { addressIn, addressOf, go, path } from './address.ts'
import { pending, revokeOwnKey } from './api.ts'
import { EventsPage } from './events/events.tsx'
import { Icon, type IconName, Mark } from './icons.tsx'
import { Dialog, Empty } from './parts.tsx'
import { PersonsPage } from './persons/list.tsx'
import { PersonPage } from './persons/person.tsx'
import { forget, isRefused, may, own, project } from './session.ts'
import { KeyForm } from './sign-in.tsx'

type Page = { path: string; name: string; icon: IconName; letter: string; scope: string }

/** The pages in the order of the navigation. A page is listed if the key has its scope. */
const PAGES: Page[] = [
  { path: 'persons', name: 'Persons', icon: 'person', letter: 'p', scope: 'person:read' },
  { path: 'events', name: 'Events', icon: 'event', letter: 'v', scope: 'query:read' }
]

const allowedPages = (): Page[] => PAGES.filter(({ scope }) => may(scope))

/** Whether letters that are typed belong to a field. */
const isTyping = (event: KeyboardEvent): boolean =>
  event.target instanceof HTMLElement &&
  event.target.matches('input:not([type=checkbox], [type=radio]), select, textarea')

/** Moves the focus to the next or the previous row of the page. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus()
}

/** Goes to the search of persons, which is the search of the console. */
export function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search')
  if (field) {
    field.focus()
    field.select()
  } else if (may('person:read')) {
    go(addressOf(['persons']))
    requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search')?.focus())
  }
}

/** Whether a key of the keyboard is meant for the console, not for a field, a dialog or the browser. */
const isForConsole = (event: KeyboardEvent): boolean =>
  !(event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) &&
  document.querySelector('dialog[open]') === null

/** What a key does; after `g`, a letter opens a page. */
function actionOf(key: string, isAfterG: boolean, help: () => void): (() => void) | undefined {
  const page = isAfterG && allowedPages().find(({ letter }) => letter === key)
  if (page) {
    return () => go(addressOf([page.path]))
  }
  const actions: Record<string, () => void> = {
    '/': focusSearch,
    '?': help,
    j: () => step(1),
    k: () => step(-1)
  }
  return actions[key]
}

function useKeys(help: () => void): void {
  const latest = useRef(help)
  latest.current = help
  useEffect(() => {
    let isAfterG = false
    const press = (event: KeyboardEvent) => {
      if (!isForConsole(event)) {
        return
      }
      const act = actionOf(event.key, isAfterG, latest.current)
      isAfterG = event.key === 'g'
      if (act) {
        event.preventDefault()
        act()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

const VIEWS: Record<string, ComponentType> = {
  persons: () => (path.value[2] === undefined ? <PersonsPage /> : <PersonPage />),
  events: EventsPage
}

/** The navigation, and the page of the address. */
export function Shell() {
  const isHelpOpen = useSignal(false)
  useKeys(() => {
    isHelpOpen.value = true
  })
  const known = own.value
  const pages = allowedPages()
  const [, page] = path.value
  const here = project.value
  const wanted = page ?? pages[0]?.path
  useEffect(() => {
    const [at, shown] = path.value
    const [first] = known?.projects ?? []
    if (at === undefined && first) {
      go(addressIn(String(first.id), []), { replace: true })
    } else if (here && shown === undefined && pages[0]) {
      go(addressOf([pages[0].path]), { replace: true })
    }
  })
  const current = pages.find((one) => one.path === wanted)
  useEffect(() => {
    document.title = [current?.name, here?.name ?? 'Edge Analytics'].filter(Boolean).join(' · ')
  }, [current?.name, here?.name])
  const View = current && VIEWS[current.path]
  return (
    <div class="app">
      <aside class="nav">
        <ProjectMenu />
        {may('person:read') && (
          <button type="button" class="find" onClick={focusSearch}>
            <Icon name="search" />
            <span>Search</span>
            <kbd>/</kbd>
          </button>
        )}
        <nav aria-label="Console">
          <p class="lab">People</p>
          <ul>
            {pages.map((one) => (
              <li key={one.path}>
                <a
                  href={addressOf([one.path])}
                  aria-current={one.path === wanted ? 'page' : undefined}
                  title={one.name}
                >
                  <Icon name={one.icon} />
                  <span>{one.name}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <ul class="foot">
          <li>
            <button
              type="button"
              title="Keys of the keyboard (?)"
              onClick={() => {
                isHelpOpen.value = true
              }}
            >
              <Icon name="help" />
              <span>Help</span>
            </button>
          </li>
          <li>
            <button type="button" title="Sign out" onClick={signOut}>
              <Icon name="out" />
              <span>Sign out</span>
            </button>
          </li>
        </ul>
      </aside>
      <main class="main" key={here?.id}>
        {pending.value > 0 && <div class="progress" />}
        {here && View ? <View /> : <Nothing hasProject={here !== undefined} />}
      </main>
      <nav class="tabbar" aria-label="Console">
        {pages.map((one) => (
          <a
            key={one.path}
            href={addressOf([one.path])}
            aria-current={one.path === wanted ? 'page' : undefined}
          >
            <Icon name={one.icon} />
            {one.name}
          </a>
        ))}
        <button type="button" onClick={signOut}>
          <Icon name="out" />
          Sign out
        </button>
      </nav>
      {isHelpOpen.value && (
        <Help
          close={() => {
            isHelpOpen.value = false
          }}
        />
      )}
      {isRefused.value && <SignInAgain />}
    </div>
  )
}

async function signOut(): Promise<void> {
  await revokeOwnKeyIfTemporary()
  forget()
}

/** Revokes a key that only this browser has: an invitation's key expires, a pasted key need not. */
const revokeOwnKeyIfTemporary = async (): Promise<void> => {
  if (own.value?.expires_at) {
    await revokeOwnKey().catch(() => {})
  }
}

/** The project, and a choice if the key has access to several. */
function ProjectMenu() {
  const all = own.value?.projects ?? []
  const here = project.value
  const [, page = 'persons'] = path.value
  return (
    <div class="project">
      <Mark />
      <span class="cut" title={here?.name}>
        <bdi>{here?.name ?? 'Edge Analytics'}</bdi>
      </span>
      {all.length > 1 && (
        <>
          <Icon name="switch" small />
          <select
            aria-label="Project"
            value={String(here?.id)}
            onChange={(event) => go(addressIn(event.currentTarget.value, [page]))}
          >
            {all.map(({ id, name }) => (
              <option key={id} value={String(id)}>
                {name}
              </option>
            ))}
          </select>
        </>
      )}
    </div>
  )
}

const Nothing = ({ hasProject }: { hasProject: boolean }) => (
  <div class="body">
    <Empty
      title={hasProject ? 'There is no page here.' : 'This key has no access to this project.'}
    >
      <p class="sec">
        {hasProject
          ? 'The address may be incomplete, or this key may not see the page.'
          : 'Ask the person who sent you the link for an invitation.'}
      </p>
      <a class="b" href={addressIn(String(own.value?.projects[0]?.id ?? ''), [])}>
        Open what this key may see
      </a>
    </Empty>
  </div>
)

const SignInAgain = () => (
  <Dialog
    title="Sign in again"
    words="The key of this browser is revoked or expired. The page stays as it is."
    close={() => {}}
    footer={
      <button type="button" class="b" onClick={forget}>
        Leave the page
      </button>
    }
  >
    <KeyForm />
  </Dialog>
)

const KEYS = [
  ['/', 'Search persons'],
  ['g p', 'Persons'],
  ['g v', 'Events'],
  ['j k', 'Next row, previous row'],
  ['Enter', 'Open the row'],
  ['Escape', 'Close'],
  ['?', 'This help']
]

const Help = ({ close }: { close: () => void }) => (
  <Dialog
    title="Keys"
    close={close}
    footer={
      <>
        <a class="b quiet side" href="/docs">
          API reference
        </a>
        <button type="button" class="b" onClick={close}>
          Close
        </button>
      </>
    }
  >
    <dl class="kv keys-help">
      {KEYS.map(([keys = '', words]) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((one) => (
              <kbd key={one}>{one}</kbd>
            ))}
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
