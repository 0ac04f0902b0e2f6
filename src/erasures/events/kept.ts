/** Lists in plain words what a removal keeps, and why. */
export const describeKeptEvents = (properties: string[] | null): string[] => [
  ...(properties === null
    ? [
        'The sessions that have other events: they are computed again without the removed ones.',
        'The uuids of the removed events, which name nobody, so that an event that is sent again is not stored.'
      ]
    : [
        'The events, without these properties, and their sessions, which are computed again from them.'
      ]),
  'The persons, with the properties that events have set, with those that are copied from events, such as `$current_url` and `$initial_current_url`, and with the history of these properties. `persons/{id}/delete_property/` removes a property; only deleting the person removes the history, too.',
  'The recordings of the sessions, with the addresses and activity counts that they show.',
  'Event names, which all persons of the project share.',
  'Events that could not be stored, and wait in dead letters: they are not searched.'
]
