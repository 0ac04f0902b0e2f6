import type { ComponentType } from 'preact'
import type { IconName } from './icons.tsx'
import { may } from './session.ts'

/** A page of the navigation, at `#/1/<path>`. Its code is loaded when it is opened. */
export type Page = {
  path: string
  name: string
  icon: IconName
  /** The letter that opens it after `g`. */
  letter: string
  /** Scopes of which a key needs one to see the page. */
  scopes: string[]
  /** The heading of the navigation above it, or `foot` for its end. */
  group?: 'People' | 'Data' | 'foot'
  /** Whether the navigation folds, because the page needs its width. */
  isWide?: true
  load: () => Promise<ComponentType>
}

/** The pages in the order of the navigation. */
const PAGES: Page[] = [
  {
    path: 'overview',
    name: 'Overview',
    icon: 'overview',
    letter: 'o',
    scopes: ['query:read', 'insight:read'],
    load: async () => (await import('./overview/overview.tsx')).OverviewPage
  },
  {
    path: 'explore',
    name: 'Explore',
    icon: 'explore',
    letter: 'e',
    scopes: ['query:read', 'insight:read'],
    load: async () => (await import('./explore/explore.tsx')).Explore
  },
  {
    path: 'dashboards',
    name: 'Dashboards',
    icon: 'board',
    letter: 'd',
    scopes: ['dashboard:read', 'insight:read'],
    load: async () => (await import('./boards/boards.tsx')).Boards
  },
  {
    path: 'persons',
    name: 'Persons',
    icon: 'person',
    letter: 'p',
    scopes: ['person:read'],
    group: 'People',
    load: async () => (await import('./persons/persons.tsx')).Persons
  },
  {
    path: 'recordings',
    name: 'Recordings',
    icon: 'recording',
    letter: 'r',
    scopes: ['session_recording:read'],
    group: 'People',
    isWide: true,
    load: async () => (await import('./recordings/recordings.tsx')).RecordingsPage
  },
  {
    path: 'events',
    name: 'Events',
    icon: 'event',
    letter: 'v',
    scopes: ['query:read'],
    group: 'People',
    load: async () => (await import('./events/events.tsx')).EventsPage
  },
  {
    path: 'sql',
    name: 'SQL',
    icon: 'sql',
    letter: 's',
    scopes: ['query:read'],
    group: 'Data',
    load: async () => (await import('./sql/sql.tsx')).SqlPage
  },
  {
    path: 'privacy',
    name: 'Privacy',
    icon: 'privacy',
    letter: 'y',
    scopes: ['person:read'],
    group: 'Data',
    load: async () => (await import('./privacy/privacy.tsx')).PrivacyPage
  },
  {
    path: 'project',
    name: 'Project',
    icon: 'project',
    letter: 'j',
    scopes: ['project:read'],
    group: 'foot',
    load: async () => (await import('./project/project.tsx')).ProjectPage
  }
]

/** The pages that the key may see. */
export const allowedPages = (): Page[] => PAGES.filter(({ scopes }) => scopes.some(may))
