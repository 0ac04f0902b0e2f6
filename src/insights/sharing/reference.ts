import { describe, type Refusal } from '../../http/openapi.ts'
import { NewSharingJson, SharingJson } from '../../sharing/schemas.ts'

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
      answers: { 200: { text: 'Whether it is shared, and its token.', schema: NewSharingJson } },
      refusals: [NOT_FOUND]
    }),
    update: describe({
      id: `${id}_update`,
      tag,
      summary: `Turn the sharing of ${a} on or off`,
      description:
        'The page behind the link shows the charts and their numbers to anyone, also the values of a breakdown.',
      answers: { 200: { text: 'Whether it is shared, and its token.', schema: SharingJson } },
      refusals: [NOT_FOUND]
    }),
    refresh: describe({
      id: `${id}_refresh`,
      tag,
      summary: `Replace the token of ${a}`,
      description: 'The old token stops working at once.',
      answers: { 200: { text: 'Whether it is shared, and its new token.', schema: SharingJson } },
      refusals: [NOT_FOUND]
    })
  }
}
