import { Icon } from '../icons.tsx'
import { Empty, Moment } from '../parts.tsx'
import { isRemembered } from '../session.ts'
import { clearPast, listPast } from './history.ts'

type PastProps = { pick: (statement: string) => void }

/** The statements that were run in this browser; a click takes one up again. */
export function Past({ pick }: PastProps) {
  const past = listPast()
  return (
    <div class="past">
      {past.length === 0 ? (
        <Empty title="No statements yet.">
          <p class="sec">A statement that you run is listed here, in this browser only.</p>
        </Empty>
      ) : (
        <>
          <ul>
            {past.map(({ statement, at }, i) => (
              <li key={at + statement.slice(0, 50)}>
                <button
                  type="button"
                  class="past-b"
                  data-first={i === 0 || undefined}
                  onClick={() => pick(statement)}
                >
                  <bdi class="mono">{statement.slice(0, 300)}</bdi>
                  <span class="mut small-text">
                    <Moment at={at} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <div class="past-foot">
            <span class="mut small-text grow">
              {isRemembered.value
                ? 'Kept on this device until you sign out.'
                : 'Kept until you sign out or close this tab.'}
            </span>
            <button type="button" class="b quiet small" onClick={clearPast}>
              <Icon name="erase" small />
              Clear
            </button>
          </div>
        </>
      )}
    </div>
  )
}
