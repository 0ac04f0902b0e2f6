import { useSignal } from '@preact/signals'
import { CopyButton } from './parts.tsx'
import { project } from './session.ts'

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

/** How a page or a server sends events to the project. */
export function Snippet() {
  const kind = useSignal('Web page')
  const text = SNIPPETS[kind.value]?.(location.origin, project.value?.api_token ?? '') ?? ''
  return (
    <div class="snippet">
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
    </div>
  )
}
