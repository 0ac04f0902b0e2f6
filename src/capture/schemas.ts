import * as z from 'zod'
import { settingsOf } from '../access/settings.ts'
import { Dropped } from '../input/dropped.ts'
import { MAX_DEPTH } from '../input/scan.ts'
import { MAX_PROPERTIES_BYTES } from '../persons/person.ts'
import { MAX_EVENTS } from './body.ts'
import { answerFlags, remoteConfig } from './config.ts'
import { MAX_EVENT_BYTES } from './event.ts'

const EXAMPLE = {
  api_key: 'phc_…',
  event: '$identify',
  distinct_id: 'ada',
  properties: { $set: { email: 'ada@example.com', plan: 'pro' } },
  timestamp: '2026-10-02T10:11:12.345Z'
}

const SNAPSHOT_EXAMPLE = {
  api_key: 'phc_…',
  event: '$snapshot',
  distinct_id: 'ada',
  properties: {
    $session_id: '01a1fc87-dc26-71e7-8a25-7ac44254cc16',
    $snapshot_data: [{ type: 4, timestamp: 1795238124740, data: { href: 'https://example.com/' } }]
  }
}

/**
 * Describes an event for the API reference only: `readEvent` reads events and reports errors in
 * PostHog's words.
 */
const EventJson = z
  .object({
    event: z
      .string()
      .min(1)
      .meta({ description: 'The name of the event; its first 200 characters are kept.' }),
    distinct_id: z.string().min(1).optional().meta({
      description:
        'The distinct id of the user, of which the first 200 characters are kept; it may be in the properties instead. An integer counts as the text of its digits, however many they are.'
    }),
    properties: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .meta({
        description: `The event's properties, at most ${MAX_EVENT_BYTES} bytes, nested at most ${MAX_DEPTH} deep. \`$set\`, \`$set_once\` and \`$unset\` change the person, unless \`$process_person_profile\` is false. A person's properties take at most ${MAX_PROPERTIES_BYTES} bytes, and so do their write times, with the values of \`$set_once\` that are kept but not shown: an event that would take a person over this limit is stored but does not change the person; an event whose \`$set\` and \`$set_once\` alone exceed it is dropped.`
      }),
    timestamp: z.string().nullable().optional().meta({
      description:
        'ISO 8601. Other common spellings are read too, in UTC unless they name a zone: `2026-11-27 03:04:05 UTC`, `11/27/2026 3:04 PM` (the month first), `20261127T030405Z`, `Fri, 27 Nov 2026 03:04:05 GMT`, and, as text, seconds, milliseconds, microseconds or nanoseconds since 1970. An event without a timestamp, or with one more than 23 hours in the future, gets its time of arrival.'
    }),
    uuid: z.string().nullable().optional().meta({
      description:
        'An event with a uuid is stored once, however often it is sent; an event without one is stored each time.'
    }),
    api_key: z.string().optional().meta({
      description:
        "The project's capture token, unless the batch has it. It may also be sent as `token`, here or in the properties."
    })
  })
  .meta({
    id: 'Event',
    examples: [EXAMPLE]
  })

const BatchJson = z
  .object({
    api_key: z
      .string()
      .optional()
      .meta({ description: "The project's capture token. It may also be sent as `token`." }),
    batch: z.array(EventJson).min(1).max(MAX_EVENTS),
    sent_at: z
      .string()
      .optional()
      .meta({ description: "The client's clock at sending; corrects the times of the events." })
  })
  .meta({ id: 'Batch' })

export const CaptureJson = z
  .union([EventJson, BatchJson, z.array(EventJson).min(1).max(MAX_EVENTS)])
  .meta({ id: 'Capture', examples: [EXAMPLE] })

/** The events of a request that were dropped, with the reason. */
export const Drops = z.object({ dropped: z.array(Dropped).optional() })

export const CapturedJson = z
  .object({ status: z.literal('Ok'), ...Drops.shape })
  .meta({ id: 'Captured', examples: [{ status: 'Ok' }] })

const Flags = z.record(z.string(), z.unknown())

export const FlagsRequestJson = z
  .looseObject({
    api_key: z.string().optional(),
    token: z.string().optional(),
    distinct_id: z.string().optional()
  })
  .meta({ id: 'FlagsRequest', examples: [{ api_key: 'phc_…', distinct_id: 'ada' }] })

/** Describes a part of a recording for the API reference only: `readSnapshot` reads the parts. */
const SnapshotEventJson = z
  .object({
    event: z.literal('$snapshot').optional(),
    distinct_id: z.string().optional().meta({
      description: 'The distinct id of the visitor; it may be in the properties instead.'
    }),
    properties: z.looseObject({
      $session_id: z.string().min(1).max(70).meta({ description: 'Letters, digits and hyphens.' }),
      $window_id: z.string().optional(),
      $snapshot_data: z
        .union([z.array(z.looseObject({})), z.looseObject({})])
        .meta({ description: "rrweb's snapshots, each timed within 7 days of now." })
    }),
    sent_at: z.string().optional(),
    uuid: z.string().nullable().optional().meta({
      description:
        'A part is stored once, however often it is sent; without a uuid, its content identifies it.'
    }),
    api_key: z.string().optional().meta({
      description:
        "The project's capture token. It may also be sent as `token`, here or in the properties."
    })
  })
  .meta({ id: 'SnapshotEvent', examples: [SNAPSHOT_EXAMPLE] })

export const SnapshotsJson = z
  .union([z.array(SnapshotEventJson), SnapshotEventJson])
  .meta({ id: 'Snapshots', examples: [SNAPSHOT_EXAMPLE] })

export const RemoteConfigJson = z
  .object({
    token: z.string(),
    supportedCompression: z.array(z.string()),
    analytics: z.object({ endpoint: z.string() }),
    autocapture_opt_out: z.boolean(),
    elementsChainAsString: z.boolean(),
    defaultIdentifiedOnly: z.boolean(),
    sessionRecording: z.union([
      z.literal(false),
      z.object({
        endpoint: z.string(),
        consoleLogRecordingEnabled: z.boolean(),
        recorderVersion: z.string(),
        sampleRate: z.string().nullable(),
        minimumDurationMilliseconds: z.int().nullable()
      })
    ]),
    hasFeatureFlags: z.boolean(),
    surveys: z.boolean(),
    productTours: z.boolean(),
    capturePerformance: z.union([
      z.literal(false),
      z.object({ network_timing: z.boolean(), web_vitals: z.boolean() })
    ]),
    autocaptureExceptions: z.boolean(),
    errorTracking: z.object({
      autocaptureExceptions: z.boolean(),
      suppressionRules: z.array(z.unknown())
    }),
    heatmaps: z.boolean(),
    captureDeadClicks: z.boolean(),
    siteApps: z.array(z.unknown())
  })
  .meta({
    id: 'RemoteConfig',
    examples: [remoteConfig('phc_…', settingsOf({ settings: { recording: true } }))]
  })

/** The answer of `/flags` and `/decide`; `v` and `config` decide about its members. */
export const FlagsJson = z
  .object({
    flags: Flags.optional(),
    featureFlags: z.union([Flags, z.array(z.string())]).optional(),
    featureFlagPayloads: Flags.optional(),
    errorsWhileComputingFlags: z.boolean(),
    requestId: z.guid(),
    ...RemoteConfigJson.partial().shape,
    config: z.object({ enable_collect_everything: z.boolean() }).optional()
  })
  .meta({
    id: 'Flags',
    examples: [answerFlags('2', undefined, '7f1cbe1a-3a52-4c8e-9b5e-0d6a1f5f2d11')]
  })
