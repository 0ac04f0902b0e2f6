/** An event in the answers of the API. */
export type StoredEvent = {
  id: string
  event: string
  timestamp: string
  distinct_id: string | null
  person: { id: number; uuid: string } | null
  session_id: string | null
  properties: Record<string, unknown>
}

export type EventList = {
  next: string | null
  searched_until: string | null
  results: StoredEvent[]
}
