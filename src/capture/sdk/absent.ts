import * as z from 'zod'

/** A feature that SDKs ask for and that does not exist here. */
export type AbsentFeature = {
  path: string
  /** The operation's id in the API reference. */
  id: string
  summary: string
  answer: z.ZodObject
}

const list = z.array(z.unknown()).max(0).default([])
const map = z.object({}).default({})

const Definitions = z
  .object({ flags: list, group_type_mapping: map, cohorts: map })
  .meta({ id: 'FlagDefinitions', examples: [{ flags: [], group_type_mapping: {}, cohorts: {} }] })

/** Features without any setting. Without an answer, callbacks of SDKs would wait forever. */
export const ABSENT_FEATURES: AbsentFeature[] = [
  {
    path: '/flags/definitions',
    id: 'flags_definitions',
    summary: 'Definitions of feature flags',
    answer: Definitions
  },
  {
    path: '/api/feature_flag/local_evaluation',
    id: 'feature_flag_local_evaluation',
    summary: 'Definitions of feature flags, for older SDKs',
    answer: Definitions
  },
  {
    path: '/api/early_access_features',
    id: 'early_access_features',
    summary: 'Features that a visitor may try early',
    answer: z
      .object({ earlyAccessFeatures: list })
      .meta({ id: 'EarlyAccessFeatures', examples: [{ earlyAccessFeatures: [] }] })
  },
  {
    path: '/api/surveys',
    id: 'surveys',
    summary: 'Surveys to show in a browser',
    answer: z.object({ surveys: list }).meta({ id: 'Surveys', examples: [{ surveys: [] }] })
  },
  {
    path: '/api/web_experiments',
    id: 'web_experiments',
    summary: 'Experiments to run in a browser',
    answer: z
      .object({ experiments: list })
      .meta({ id: 'WebExperiments', examples: [{ experiments: [] }] })
  },
  {
    path: '/api/product_tours',
    id: 'product_tours',
    summary: 'Product tours to show in a browser',
    answer: z
      .object({ product_tours: list })
      .meta({ id: 'ProductTours', examples: [{ product_tours: [] }] })
  }
]
