/** What is shared, subscribed to, watched or annotated. */
export type Subject = {
  kind: 'insight' | 'dashboard' | 'recording'
  id: number | string
  name: string
  /** The series of an insight with a trend over time, which alerts can watch. */
  series?: string[]
}
