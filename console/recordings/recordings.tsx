import { addressOf, go, parameters, path } from '../address.ts'
import { useKey } from '../keys.ts'
import { Empty } from '../parts.tsx'
import { readWanted, writeWanted } from './filters.ts'
import { List } from './list.tsx'
import { useRecordings } from './load.ts'
import { Watch } from './watch.tsx'

/** The list of recordings, and the one that is watched. On phones they are two pages. */
export function RecordingsPage() {
  const [, , id] = path.value
  const wanted = readWanted(parameters.value)
  const recordings = useRecordings(wanted)
  const rows = recordings.rows ?? []
  const at = rows.findIndex((one) => one.id === id)
  const next = async () => {
    const following = rows[at + 1] ?? (await recordings.more())[0]
    if (following) {
      go(addressOf(['recordings', following.id], writeWanted(wanted)))
    }
  }
  const hasNext = rows[at + 1] !== undefined || recordings.next !== null
  useKey('n', 'Next recording', () => void next())
  return (
    <>
      <h1 class="vh">Recordings</h1>
      <div class={id === undefined ? 'recs' : 'recs is-open'}>
        <List recordings={recordings} />
        {id === undefined ? (
          <section class="col rec-none" aria-label="Player">
            <Empty title="Choose a recording.">
              <p class="sec">
                <kbd>j</kbd> and <kbd>k</kbd> go through the list, <kbd>n</kbd> opens the next one.
              </p>
            </Empty>
          </section>
        ) : (
          <Watch
            key={id}
            id={id}
            known={rows[at]}
            next={hasNext ? next : undefined}
            list={addressOf(['recordings'], writeWanted(wanted))}
          />
        )}
      </div>
    </>
  )
}
