import { describe, type Refusal } from '../../http/openapi.ts'
import { SharingJson, SharingStateJson } from '../schemas.ts'

const NOT_FOUND: Refusal = ['not_found', 'Not found.']

/** Returns the descriptions of the routes that share an insight or a dashboard. */
export const describeSharing = (kind: 'insight' | 'dashboard') => {
  const tag = kind === 'insight' ? 'Insights' : 'Dashboards'
  const id = `${kind}s_sharing`
  const a = kind === 'insight' ? 'an insight' : 'a dashboard'
  return {
    retrieve: describe({
      id: `${id}_retrieve`,
      tag,
      summary: `Retrieve the sharing configuration of ${a}`,
      answers: {
        200: { text: `Whether the ${kind} is shared, and its token.`, schema: SharingStateJson }
      },
      refusals: [NOT_FOUND]
    }),
    update: describe({
      id: `${id}_update`,
      tag,
      summary: `Turn the sharing of ${a} on or off`,
      description:
        'Anyone with the link sees the charts and their numbers, including the values of breakdowns.',
      answers: {
        200: { text: `Whether the ${kind} is shared, and its token.`, schema: SharingJson }
      },
      refusals: [NOT_FOUND]
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
      refusals: [NOT_FOUND]
    })
  }
}
