import type { ComponentType } from 'preact'
import { addressOf, path } from '../address.ts'
import { broughtIntoView, Empty, Top } from '../parts.tsx'
import { may } from '../session.ts'
import { Cost } from './cost.tsx'
import { General } from './general.tsx'
import { Health } from './health.tsx'
import { Keys } from './keys.tsx'
import { Recording } from './recording.tsx'
import { Users } from './users.tsx'

type Part = { path: string; name: string; scope: string; View: ComponentType }

/** The parts of the page, at `#/1/project/<path>`. */
const PARTS: Part[] = [
  { path: 'general', name: 'General', scope: 'project:read', View: General },
  { path: 'keys', name: 'Keys', scope: 'personal_api_key:read', View: Keys },
  { path: 'users', name: 'Users', scope: 'personal_api_key:read', View: Users },
  { path: 'recording', name: 'Recording', scope: 'project:read', View: Recording },
  { path: 'health', name: 'Health', scope: 'project:read', View: Health },
  { path: 'cost', name: 'Cost', scope: 'insight:read', View: Cost }
]

/** The settings of the project, who has access, how the service is and what it costs. */
export function ProjectPage() {
  const parts = PARTS.filter(({ scope }) => may(scope))
  const [, , wanted] = path.value
  const current = wanted === undefined ? parts[0] : parts.find((part) => part.path === wanted)
  return (
    <>
      <Top>
        <span class="crumb wide-only">Project</span>
        <h1>{current?.name ?? 'Project'}</h1>
        <span class="grow" />
      </Top>
      <div class="body wide settings">
        <nav class="subnav" aria-label="Project">
          {parts.map((part) => (
            <a
              key={part.path}
              ref={part === current ? broughtIntoView : null}
              href={addressOf(['project', part.path])}
              aria-current={part === current ? 'page' : undefined}
            >
              {part.name}
            </a>
          ))}
        </nav>
        <div class="sections">
          {current ? (
            <current.View />
          ) : (
            <Empty title="There is no such part of the project.">
              <p class="sec">The address may be incomplete, or this key may not see it.</p>
            </Empty>
          )}
        </div>
      </div>
    </>
  )
}
