import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Copied } from '../parts.tsx'
import { project } from '../session.ts'
import { Snippet } from '../snippet.tsx'

/** Says how to send the first event, and waits for it. The list beside it asks for new events. */
export function FirstEvent() {
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
            <Snippet />
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
          <Copied text="npm run demo" label="Copy the command" />
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
