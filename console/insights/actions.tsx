import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { MenuItem } from '../menu.tsx'
import { may } from '../session.ts'
import { Alerts } from './alerts.tsx'
import { Annotations } from './annotations.tsx'
import { Share } from './share.tsx'
import type { Subject } from './subject.ts'
import { Subscriptions } from './subscriptions.tsx'

const DIALOGS = { share: Share, subscribe: Subscriptions, alert: Alerts, annotate: Annotations }

/** What one can do with a saved insight or a dashboard beyond seeing it. */
export type Action = keyof typeof DIALOGS

type Actions = {
  /** Choices of a menu, as far as the key's scopes allow them. */
  items: MenuItem[]
  /** Whether the key's scopes allow an action on the subject. */
  can: (action: Action) => boolean
  open: (action: Action) => void
  /** The open dialog, for the page to show. */
  dialog: ComponentChildren
}

/** Returns whether the key may see what an action lists. */
function isAllowed(action: Action, { kind, series }: Subject): boolean {
  switch (action) {
    case 'share':
      return may('sharing_configuration:read')
    case 'subscribe':
      return may('subscription:read') && kind !== 'recording'
    case 'alert':
      return may('alert:read') && (series?.length ?? 0) > 0
    case 'annotate':
      return may('annotation:read') && kind !== 'recording'
  }
}

const ITEMS = [
  { action: 'share', name: 'Share…', icon: 'link' },
  { action: 'subscribe', name: 'Subscribe…', icon: 'mail' },
  { action: 'alert', name: 'Alert…', icon: 'bell' },
  { action: 'annotate', name: 'Annotate…', icon: 'note' }
] as const

/**
 * Shares, subscribes to, watches and annotates a saved insight or a dashboard, each in a dialog.
 * @param changed called when an annotation changes, which charts show
 */
export function useActions(subject: Subject, changed?: () => void): Actions {
  const opened = useSignal<Action | undefined>(undefined)
  const can = (action: Action) => isAllowed(action, subject)
  const open = (action: Action) => {
    opened.value = action
  }
  const Opened = opened.value && DIALOGS[opened.value]
  return {
    items: ITEMS.filter(({ action }) => can(action)).map(({ action, ...item }) => ({
      ...item,
      run: () => open(action)
    })),
    can,
    open,
    dialog: Opened && (
      <Opened
        subject={subject}
        changed={changed}
        close={() => {
          opened.value = undefined
        }}
      />
    )
  }
}
