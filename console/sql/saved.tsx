import { addressOf, path } from '../address.ts'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { pageOfInsight, type SavedInsight, titleOfInsight } from '../insights/saved.ts'
import { useLoaded } from '../loaded.ts'
import { Name } from '../parts.tsx'

/** Saved insights among which statements are looked for; Dashboards lists all. */
const LOOKED_AT = '100'

/** The statements among the saved insights. */
export function SavedStatements() {
  const [, , opened] = path.value
  const { data } = useLoaded(`saved ${opened}`, (signal) =>
    call<{ results: SavedInsight[]; next: string | null }>('GET', 'insights/', {
      query: { saved: 'true', limit: LOOKED_AT },
      signal
    })
  )
  const found = (data?.results ?? []).filter((insight) => pageOfInsight(insight) === 'sql')
  if (found.length === 0 && !data?.next) {
    return null
  }
  return (
    <nav class="saved-statements" aria-label="Saved statements">
      <p class="mut">Saved</p>
      <ul class="tree">
        {found.map((insight) => (
          <li key={insight.id}>
            <a
              href={addressOf(['sql', insight.short_id])}
              aria-current={insight.short_id === opened ? 'page' : undefined}
            >
              <Icon name="sql" small />
              <span class="cut">
                <Name>{titleOfInsight(insight)}</Name>
              </span>
            </a>
          </li>
        ))}
        {data?.next && (
          <li>
            <a href={addressOf(['dashboards'])}>All saved insights</a>
          </li>
        )}
      </ul>
    </nav>
  )
}
