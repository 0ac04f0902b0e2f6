export const THEMES = ['light', 'dark'] as const
export type ThemeName = (typeof THEMES)[number]

export type Theme = {
  paper: string
  ink: string
  soft: string
  grid: string
  /** The colours of series, in their order. Each has a contrast of at least 4.5:1 to the paper. */
  colors: readonly string[]
}

export const THEME: Record<ThemeName, Theme> = {
  light: {
    paper: '#ffffff',
    ink: '#1f2328',
    soft: '#57606a',
    grid: '#d8dee4',
    colors: ['#0b62c4', '#b4430b', '#0f766e', '#7c3aed', '#8a5a00', '#be185d', '#475569', '#4d7c0f']
  },
  dark: {
    paper: '#0d1117',
    ink: '#e6edf3',
    soft: '#9da7b3',
    grid: '#30363d',
    colors: ['#6cb6ff', '#ff9a62', '#3fd0bd', '#c4a7ff', '#e3b341', '#ff9bce', '#a9b7c6', '#a5d34a']
  }
}

export const FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"

export const colorOf = ({ colors }: Theme, index: number): string =>
  colors[index % colors.length] ?? ''
