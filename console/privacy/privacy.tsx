import type { ComponentChildren } from 'preact'
import { addressOf, path } from '../address.ts'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import type { Page } from '../paged.tsx'
import { broughtIntoView, Top } from '../parts.tsx'
import { may } from '../session.ts'
import { count } from '../words.ts'
import { Activity } from './activity.tsx'
import { ErasurePage } from './erasure.tsx'
import { Erasures } from './erasures.tsx'
import { EventDeletionPage, EventDeletions } from './events.tsx'
import { Retention } from './retention.tsx'
import { Suppressions } from './suppressions.tsx'
import { VerifyPage } from './verify.tsx'

/** Erasures, deletions of events, suppressions, retention, and the check of receipts. */
export function PrivacyPage() {
  const [, , tab = '', id] = path.value
  if (tab === 'verify') {
    return <VerifyPage />
  }
  if (tab === 'erasures' && id !== undefined) {
    return <ErasurePage uuid={id} />
  }
  if (tab === 'events' && id !== undefined) {
    return <EventDeletionPage id={id} />
  }
  const Shown = TABS.find((one) => one.path === tab)?.View ?? Erasures
  return (
    <Frame tab={tab}>
      <Shown />
    </Frame>
  )
}

type Tab = { path: string; name: string; scope: string; View: () => ComponentChildren }

const TABS: Tab[] = [
  { path: '', name: 'Erasures', scope: 'person:read', View: Erasures },
  { path: 'events', name: 'Delete events', scope: 'person:read', View: EventDeletions },
  { path: 'suppressions', name: 'Suppressions', scope: 'person:read', View: Suppressions },
  { path: 'retention', name: 'Retention', scope: 'project:read', View: Retention },
  { path: 'activity', name: 'Activity', scope: 'activity_log:read', View: Activity }
]

const tabName = ({ path, name }: Tab): string =>
  path === 'events' && !may('person:write') ? 'Deleted events' : name

/** The number of rows of a list. */
const useCount = (path: string, query: Record<string, string>): number | undefined =>
  useLoaded(path, (signal) =>
    call<Page<unknown>>('GET', path, { query: { ...query, limit: '1' }, signal })
  ).data?.count

function Frame({ tab, children }: { tab: string; children: ComponentChildren }) {
  const counts: Record<string, number | undefined> = {
    '': useCount('persons/deletion_status/', {}),
    suppressions: useCount('persons/suppressions/', { status: 'in_force' })
  }
  return (
    <>
      <Top>
        <h1>Privacy</h1>
        <span class="grow" />
        <a class="b verify-b" href={addressOf(['privacy', 'verify'])}>
          <Icon name="receipt" />
          <span>Verify a receipt</span>
        </a>
        {may('person:write') && (
          <a class="b main-b" href={addressOf(['privacy'], { erase: '1' })}>
            Erase a person…
          </a>
        )}
      </Top>
      <div class="body wide">
        <nav class="page-tabs" aria-label="Privacy">
          {TABS.filter(({ scope }) => may(scope)).map((one) => (
            <a
              key={one.path}
              ref={one.path === tab ? broughtIntoView : null}
              href={addressOf(['privacy', ...(one.path ? [one.path] : [])])}
              aria-current={one.path === tab ? 'page' : undefined}
            >
              {tabName(one)}
              {(counts[one.path] ?? 0) > 0 && (
                <span class="count">{count(counts[one.path] ?? 0)}</span>
              )}
            </a>
          ))}
        </nav>
        {children}
      </div>
    </>
  )
}
