/** The stores with personal data, in plain words and in the order of a receipt's page. */
export const STORE_WORDS = {
  persons: 'The person and the properties',
  distinct_ids: 'Distinct ids',
  search_index: 'Entries in the search index',
  cohort_members: 'Memberships in static cohorts',
  person_versions: 'Copies of the properties, as of each event',
  version_chunks: 'Copies of the properties, for fast trends',
  activity_values: 'Property values in the activity log',
  events: 'Events',
  segments: 'Copies of events, for fast trends',
  sessions: 'Sessions',
  recordings: 'Recordings',
  recording_parts: 'Parts of recordings',
  dead_letters: 'Messages that could not be processed',
  queued_requests: 'Events that waited to be processed',
  queued_recording_parts: 'Parts of recordings that waited to be processed'
}

export type StoreName = keyof typeof STORE_WORDS

export const STORE_NAMES = Object.keys(STORE_WORDS) as StoreName[]

/** The stores that may name an erased person, in plain words. */
export const MENTION_WORDS = {
  subscriptions: 'Subscriptions',
  alerts: 'Alerts',
  subscription_deliveries: 'Deliveries of subscriptions and alerts',
  insights: 'Insights',
  dashboards: 'Dashboards',
  annotations: 'Annotations',
  cohorts: 'Cohorts',
  persons: 'Properties of other persons',
  events: 'Properties of other persons’ events'
}
