import { Icon } from '../icons.tsx'
import type { Status } from './api.ts'

const WORDS = { queued: 'Queued', running: 'Purging', completed: 'Verified', failed: 'Failed' }
const TAGS = { queued: '', running: ' accent', completed: ' good', failed: ' bad' }

type StateProps = {
  status: Status
  /** How much of a running task is done, 0…1. */
  share?: number | undefined
}

/** `Purging, 62%` */
export const State = ({ status, share }: StateProps) => (
  <span class={`tag${TAGS[status]}`}>
    {status === 'completed' && <Icon name="done" />}
    {WORDS[status]}
    {status === 'running' && share !== undefined && `, ${Math.floor(share * 100)}%`}
  </span>
)

/** The share of events that are removed; undefined before they are counted. */
export const shareOf = (done: number, all: number | null): number | undefined =>
  all ? Math.min(1, done / all) : undefined
