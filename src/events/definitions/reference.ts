import { MAX_EVENT_NAMES } from '../../capture/changes.ts'
import { describe } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { MAX_KEY } from '../../properties/filter.ts'
import { EventDefinitionJson, PropertyDefinitionJson } from './schemas.ts'
import { NEWEST_OF_NAME, NEWEST_PERSONS } from './store.ts'

const EventDefinitionPage = pageSchema('EventDefinitionPage', EventDefinitionJson)
const PropertyDefinitionPage = pageSchema('PropertyDefinitionPage', PropertyDefinitionJson)

export const EVENT_DEFINITIONS = describe({
  id: 'event_definitions_list',
  tag: 'Events',
  summary: 'List the names of events',
  description: 'The names of all stored events, sorted by code points.',
  answers: { 200: { text: 'A page of names.', schema: EventDefinitionPage } }
})

export const PROPERTY_DEFINITIONS = describe({
  id: 'property_definitions_list',
  tag: 'Events',
  summary: 'List the properties of events or persons',
  description: `Sorted by UTF-16 code units. With \`type=event\`, lists the properties of the ${NEWEST_OF_NAME} newest events of each \
name (fewer if there are many names; of more than ${MAX_EVENT_NAMES} names, the newest). For names with thousands of events, it also lists those of all events that are more than \
about two hours old. With \
\`type=person\`, lists the properties of the ${NEWEST_PERSONS} newest persons. Leaves out names that no filter accepts: an empty \
name, one of more than ${MAX_KEY} characters, and one with a null character. Session properties have [an operation of their \
own](#operation/sessions_property_definitions).`,
  answers: { 200: { text: 'A page of properties.', schema: PropertyDefinitionPage } }
})
