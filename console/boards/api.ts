import type { Chart } from '../../src/charts/chart.ts'
import type { SavedInsight } from '../insights/saved.ts'

/** A dashboard in lists. */
export type Dashboard = {
  id: number
  name: string | null
  description: string
  pinned: boolean
  created_at: string
}

export type Tile = { id: number; width: 'half' | 'full'; insight: SavedInsight }

export type DashboardWithTiles = Dashboard & { tiles: Tile[] }

/** The chart of an insight, or why there is none. */
export type TileChart = { insight: number; chart: Chart | null; failure: string | null }

export type Charts = { count: number; results: TileChart[] }

export type Page<T> = { count: number; next: string | null; results: T[] }

export const titleOf = ({ id, name }: Dashboard): string => name || `Dashboard ${id}`
