import type { OfferedProperty } from '../filters/properties.ts'

const number = (key: string, name: string): OfferedProperty => ({
  type: 'recording',
  key,
  name,
  kind: 'Numeric',
  operators: ['gte', 'gt', 'lte', 'lt', 'exact', 'between']
})

const page = (key: string, name: string): OfferedProperty => ({
  type: 'recording',
  key,
  name,
  kind: 'String',
  operators: ['icontains', 'not_icontains', 'exact', 'regex'],
  values: async () => ({ values: [], isWhole: true })
})

/** The properties of recordings themselves. */
export const RECORDING_PROPERTIES: OfferedProperty[] = [
  page('visited_page', 'Page'),
  page('start_url', 'First page'),
  {
    type: 'event_metadata',
    key: 'event',
    name: 'Event',
    kind: 'String',
    operators: ['exact', 'is_not', 'icontains', 'not_icontains'],
    values: async () => ({ values: [], isWhole: true })
  },
  number('duration', 'Length in seconds'),
  number('active_seconds', 'Active seconds'),
  number('click_count', 'Clicks'),
  number('keypress_count', 'Inputs'),
  number('console_error_count', 'Console errors'),
  number('console_warn_count', 'Console warnings')
]
