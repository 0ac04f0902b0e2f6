/** What is shared, subscribed to, watched or annotated. */
export type Subject = {
  kind: 'insight' | 'dashboard' | 'recording'
  id: number | string
  name: string
  /** The series of an insight with a trend over time, which alerts can watch. */
  series?: string[]
  /** What an insight is broken down by, in words; undefined without a breakdown. */
  breakdown?: string
  /** Whether the dates of an insight have an end that does not move. */
  isFixed?: boolean
}
