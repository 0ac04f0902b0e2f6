import * as z from 'zod'

/** What a deletion removes besides the person. */
export type Extent = { deleteEvents: boolean; deleteRecordings: boolean }

/** The members of an extent in requests, receipts, messages and the ledger. */
export const EXTENT = { delete_events: z.boolean(), delete_recordings: z.boolean() }
export type ExtentJson = z.infer<z.ZodObject<typeof EXTENT>>

export const extentToJson = ({ deleteEvents, deleteRecordings }: Extent): ExtentJson => ({
  delete_events: deleteEvents,
  delete_recordings: deleteRecordings
})

export const extentOf = ({ delete_events, delete_recordings }: ExtentJson): Extent => ({
  deleteEvents: delete_events,
  deleteRecordings: delete_recordings
})

/** Whether a deletion keeps something that a later request could delete. */
export const keepsData = ({ deleteEvents, deleteRecordings }: Extent): boolean =>
  !deleteEvents || !deleteRecordings

/** Returns an extent that deletes what either of the two deletes. */
export const widen = (one: Extent, other: Extent): Extent => ({
  deleteEvents: one.deleteEvents || other.deleteEvents,
  deleteRecordings: one.deleteRecordings || other.deleteRecordings
})

export const isSameExtent = (one: Extent, other: Extent): boolean =>
  one.deleteEvents === other.deleteEvents && one.deleteRecordings === other.deleteRecordings
