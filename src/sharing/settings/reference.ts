import { describe, type Refusal } from '../../http/openapi.ts'
import { SharingJson, SharingStateJson } from '../schemas.ts'
import type { Sharable } from '../store.ts'

const REFUSALS: Refusal[] = [['not_found', 'Not found.']]

/** What differs between the kinds of objects. `state` is shown before the first change. */
const KINDS = {
  recording: {
    tag: 'Session recordings',
    id: 'session_recordings_sharing',
    a: 'a recording',
    state: SharingJson,
    token:
      'Every recording has a token from the beginning. The token stays the same until it is refreshed.',
    seen: undefined
  },
  insight: {
    tag: 'Insights',
    id: 'insights_sharing',
    a: 'an insight',
    state: SharingStateJson,
    token: undefined,
    seen: 'Anyone with the link sees the charts and their numbers, including the values of breakdowns.'
  },
  dashboard: {
    tag: 'Dashboards',
    id: 'dashboards_sharing',
    a: 'a dashboard',
    state: SharingStateJson,
    token: undefined,
    seen: 'Anyone with the link sees the charts and their numbers, including the values of breakdowns.'
  }
}

/** Returns the descriptions of the routes that share objects of a kind. */
export function describeSharing(kind: Sharable['kind']) {
  const { tag, id, a, state, token, seen } = KINDS[kind]
  const text = `Whether the ${kind} is shared, and its token.`
  return {
    retrieve: describe({
      id: `${id}_retrieve`,
      tag,
      summary: `Retrieve the sharing configuration of ${a}`,
      ...(token && { description: token }),
      answers: { 200: { text, schema: state } },
      refusals: REFUSALS
    }),
    update: describe({
      id: `${id}_update`,
      tag,
      summary: `Turn the sharing of ${a} on or off`,
      ...(seen && { description: seen }),
      answers: { 200: { text, schema: SharingJson } },
      refusals: REFUSALS
    }),
    refresh: describe({
      id: `${id}_refresh`,
      tag,
      summary: `Replace the token of ${a}`,
      description:
        'The old token stops working at once. Whether sharing is on or off does not change.',
      answers: {
        200: { text: `Whether the ${kind} is shared, and its new token.`, schema: SharingJson }
      },
      refusals: REFUSALS
    })
  }
}
