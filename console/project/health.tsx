import { ApiError } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Fault, Skeleton } from '../parts.tsx'
import { count, momentOf } from '../words.ts'
import { type Finding, findingsOf, type ServiceHealth } from './findings.ts'
import { Section } from './section.tsx'

/** Asks for the state of the service. An unavailable one answers 503 with the same words. */
async function loadHealth(signal: AbortSignal): Promise<ServiceHealth> {
  const answer = await fetch('/readyz', { signal }).catch(() => undefined)
  signal.throwIfAborted()
  if (!answer) {
    throw new ApiError('The service cannot be reached.')
  }
  if (answer.status !== 200 && answer.status !== 503) {
    throw new ApiError(`The service has answered ${answer.status}.`, { status: answer.status })
  }
  return answer.json() as Promise<ServiceHealth>
}

const VERDICTS: Record<ServiceHealth['status'], string> = {
  ok: 'Everything works.',
  warning: 'It works, and something needs a look.',
  unavailable: 'It does not work fully.'
}

const MARKS: Record<Finding['state'], [tone: string, name: string]> = {
  ok: ['good', 'Good'],
  warning: ['warn', 'Look at it'],
  unavailable: ['bad', 'Not working']
}

/** The state of the service, as `/readyz` says it. */
export function Health() {
  const { data, error, reload } = useLoaded('health', loadHealth)
  return (
    <Section
      title={data ? VERDICTS[data.status] : 'Health'}
      words={
        <>
          What this service says about itself. Programs read it at <a href="/readyz">/readyz</a>.
        </>
      }
      deeds={
        <button type="button" class="b" onClick={reload}>
          Check again
        </button>
      }
    >
      {error && <Fault error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && (
        <ul class="card findings">
          {findingsOf(data, { number: count, moment: momentOf }).map(
            ({ part, state, words, todo }) => (
              <li key={part}>
                <b>{part}</b>
                <div class="grow">
                  <p>{words}</p>
                  {todo && <p class="sec">{todo}</p>}
                </div>
                <span class={`tag ${MARKS[state][0]}`}>
                  <Icon name={state === 'ok' ? 'done' : 'warning'} small />
                  {MARKS[state][1]}
                </span>
              </li>
            )
          )}
        </ul>
      )}
    </Section>
  )
}
