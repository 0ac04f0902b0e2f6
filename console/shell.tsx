import { signal, useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import { addressIn, addressOf, go, path } from './address.ts'
import { pending, revokeOwnKey } from './api.ts'
import { Icon, Mark } from './icons.tsx'
import { isSearchWanted, pageKeys } from './keys.ts'
import { allowedPages, type Page } from './pages.ts'
import { Dialog, Empty, toast } from './parts.tsx'
import { forget, isRefused, isRemembered, keep, may, own, project } from './session.ts'
import { KeyForm } from './sign-in.tsx'

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
    isSearchWanted.value = true
    go(addressOf(['persons']))
  }
}

/** Whether a key of the keyboard is meant for the console, not for a field, a dialog or the browser. */
const isForConsole = (event: KeyboardEvent): boolean =>
  !(event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) &&
  document.querySelector('dialog[open]') === null

/** What a key does; after `g`, a letter opens a page. */
function actionOf(key: string, isAfterG: boolean, help: () => void): (() => void) | undefined {
  if (isAfterG && key !== 'g') {
    const page = allowedPages().find(({ letter }) => letter === key)
    return page && (() => go(addressOf([page.path])))
  }
  const actions: Record<string, () => void> = {
    '/': focusSearch,
    '?': help,
    j: () => step(1),
    k: () => step(-1)
  }
  return actions[key] ?? pageKeys().find((one) => one.key === key)?.run
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

/** The components of the pages that were opened. */
const views = signal<Record<string, ComponentType | 'unreachable'>>({})

/** Loads a page the first time that it is opened. */
async function open({ path, load }: Page): Promise<void> {
  const View = await load().catch(() => 'unreachable' as const)
  views.value = { ...views.value, [path]: View }
}

/** The page of the address. What goes wrong in it leaves the rest of the console as it is. */
function View({ page }: { page: Page }) {
  const [failed] = useErrorBoundary((error) => console.error(error))
  const Loaded = views.value[page.path]
  useEffect(() => {
    if (Loaded === undefined) {
      void open(page)
    }
  }, [page])
  if (Loaded === 'unreachable') {
    return (
      <div class="body">
        <Empty isPage title="This page cannot be loaded.">
          <p class="sec">The connection is lost, or there is a newer version of the console.</p>
          <button type="button" class="b" onClick={() => location.reload()}>
            Reload
          </button>
        </Empty>
      </div>
    )
  }
  if (failed) {
    return (
      <div class="body">
        <Empty isPage title="This page has failed.">
          <p class="sec">
            <a href={addressOf([page.path])}>Begin it anew</a>, or go to another one.
          </p>
        </Empty>
      </div>
    )
  }
  return Loaded ? <Loaded /> : null
}

const PageLink = ({ page, isCurrent }: { page: Page; isCurrent: boolean }) => (
  <a href={addressOf([page.path])} aria-current={isCurrent ? 'page' : undefined} title={page.name}>
    <Icon name={page.icon} />
    <span>{page.name}</span>
  </a>
)

/** Pages in the bar at the lower edge of a phone; the rest is behind "More". */
const MAX_TABS = 4

/** The navigation, and the page of the address. */
export function Shell() {
  const isHelpOpen = useSignal(false)
  const isMoreOpen = useSignal(false)
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
  const main = useRef<HTMLElement>(null)
  // Where the keyboard goes on once the page has changed.
  useEffect(() => {
    if (document.activeElement === document.body) {
      main.current?.focus()
    }
  }, [current?.path])
  useEffect(() => {
    isMoreOpen.value = false
  }, [path.value.join('/')])
  const tabs = pages.slice(0, MAX_TABS)
  const list = (group: Page['group']) =>
    pages
      .filter((page) => page.group === group)
      .map((page) => (
        <li key={page.path}>
          <PageLink page={page} isCurrent={page === current} />
        </li>
      ))
  return (
    <div class={current?.isWide ? 'app rail' : 'app'}>
      <button type="button" class="b skip" onClick={() => main.current?.focus()}>
        Skip the navigation
      </button>
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
          {([undefined, 'People', 'Data'] as const).map((group) => {
            const links = list(group)
            return (
              links.length > 0 && (
                <div key={group}>
                  {group && <p class="lab">{group}</p>}
                  <ul>{links}</ul>
                </div>
              )
            )
          })}
        </nav>
        <ul class="foot">
          {list('foot')}
          {!isRemembered.value && (
            <li>
              <RememberButton />
            </li>
          )}
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
      <main class="main" key={here?.id} ref={main} tabIndex={-1}>
        {pending.value > 0 && <div class="progress" />}
        {here && current ? (
          <View key={current.path} page={current} />
        ) : (
          <Nothing hasProject={here !== undefined} />
        )}
      </main>
      <nav class="tabbar" aria-label="Console">
        {tabs.map((page) => (
          <PageLink key={page.path} page={page} isCurrent={page === current} />
        ))}
        <button
          type="button"
          aria-current={current && !tabs.includes(current) ? 'page' : undefined}
          onClick={() => {
            isMoreOpen.value = true
          }}
        >
          <Icon name="more" />
          <span>More</span>
        </button>
      </nav>
      {isHelpOpen.value && (
        <Help
          close={() => {
            isHelpOpen.value = false
          }}
        />
      )}
      {isMoreOpen.value && (
        <More
          pages={pages.slice(MAX_TABS)}
          current={current}
          close={() => {
            isMoreOpen.value = false
          }}
        />
      )}
      {isRefused.value && <SignInAgain />}
    </div>
  )
}

type MoreProps = { pages: Page[]; current: Page | undefined; close: () => void }

/** What has no place in the bar of a phone. */
const More = ({ pages, current, close }: MoreProps) => (
  <Dialog
    title="More"
    close={close}
    footer={
      <button type="button" class="b" onClick={close}>
        Close
      </button>
    }
  >
    <ul class="more-pages">
      {pages.map((page) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a link is followed by the keyboard too
        <li key={page.path} onClick={close}>
          <PageLink page={page} isCurrent={page === current} />
        </li>
      ))}
      {!isRemembered.value && (
        <li>
          <RememberButton />
        </li>
      )}
      <li>
        <button type="button" onClick={signOut}>
          <Icon name="out" />
          <span>Sign out</span>
        </button>
      </li>
    </ul>
  </Dialog>
)

/** Offers to keep the key when the tab is closed. */
const RememberButton = () => (
  <button
    type="button"
    title="Keep the key on this device when the tab is closed"
    onClick={() => {
      keep(true)
      toast('This device remembers the key until you sign out')
    }}
  >
    <Icon name="save" />
    <span>Stay signed in</span>
  </button>
)

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
  const [, page = 'overview'] = path.value
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
      isPage
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
    footer={
      <button type="button" class="b" onClick={forget}>
        Leave the page
      </button>
    }
  >
    <KeyForm />
  </Dialog>
)

const keys = () => [
  ['/', 'Search persons'],
  ...allowedPages().map(({ letter, name }) => [`g ${letter}`, name]),
  ...pageKeys().map(({ key, words }) => [key, words]),
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
      {keys().map(([keys = '', words]) => (
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
