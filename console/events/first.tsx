import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CopyButton } from '../parts.tsx'
import { project } from '../session.ts'

const SNIPPETS: Record<string, (origin: string, token: string) => string> = {
  'Web page': (origin, token) => `<!-- before </head> -->
<script src="${origin}/static/array.js"></script>
<script>
  posthog.init('${token}', {
    api_host: '${origin}',
  })
</script>`,
  Node: (origin, token) => `import { PostHog } from 'posthog-node'

const posthog = new PostHog('${token}', { host: '${origin}' })
posthog.capture({ distinctId: 'ada', event: 'report opened' })
await posthog.shutdown()`,
  curl: (origin, token) => `curl -H 'Content-Type: application/json' \\
  -d '{"api_key":"${token}","event":"report opened","distinct_id":"ada"}' \\
  ${origin}/i/v0/e/`
}

/** Says how to send the first event, and waits for it. The list beside it asks for new events. */
export function FirstEvent() {
  const kind = useSignal('Web page')
  const token = project.value?.api_token ?? ''
  const text = SNIPPETS[kind.value]?.(location.origin, token) ?? ''
  return (
    <div class="first-event">
      <h2>Send the first event</h2>
      <p class="sec lede">
        <bdi>{project.value?.name}</bdi> is ready. Add the snippet to a page, open the page, and its
        first event appears here within seconds.
      </p>
      <div class="first">
        <ol class="steps">
          <li data-n="1">
            <h3>Add the snippet</h3>
            <div class="row">
              <div class="seg">
                {Object.keys(SNIPPETS).map((name) => (
                  <button
                    key={name}
                    type="button"
                    aria-pressed={kind.value === name}
                    onClick={() => {
                      kind.value = name
                    }}
                  >
                    {name}
                  </button>
                ))}
              </div>
              <span class="grow" />
              <CopyButton text={text} label="Copy the snippet" />
            </div>
            <pre class="code">{text}</pre>
          </li>
          <li data-n="2">
            <h3>Open your page</h3>
            <p class="sec">This page notices the event by itself.</p>
            <Waiting />
          </li>
          <li data-n="3">
            <h3>Name your users</h3>
            <p class="sec">
              Call <code>posthog.identify()</code> after sign-in, and visitors become persons.
            </p>
          </li>
        </ol>
        <aside class="card tips">
          <h2>Look around first</h2>
          <p class="sec">A month of a small company: 600 persons, about 30,000 events.</p>
          <div class="row copied">
            <code class="code grow">npm run demo</code>
            <CopyButton text="npm run demo" label="Copy the command" />
          </div>
        </aside>
      </div>
    </div>
  )
}

function Waiting() {
  const seconds = useSignal(0)
  useEffect(() => {
    const timer = setInterval(() => {
      seconds.value += 1
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="waiting">
      <span class="pulse" />
      <div class="grow">
        <b>Waiting for the first event</b>
        <p class="mut">
          for {Math.floor(seconds.value / 60)}m {seconds.value % 60}s, from any page or server
        </p>
      </div>
    </div>
  )
}
