import * as z from 'zod'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { readToken } from '../body.ts'
import { type TokenReader, UNKNOWN_TOKEN } from '../token.ts'

const LINK = describe({
  id: 'replay_link',
  tag: 'For SDKs',
  takesAnyQuery: true,
  summary: 'Follow a link to a recording',
  description:
    'Redirects to `/api/environments/{project_id}/session_recordings/{id}/`, whether or not the recording exists; that address requires a key. Browser SDKs link to recordings like this.',
  path: z.object({
    token: z.string().meta({ description: "The project's capture token." }),
    id: z.string().meta({ description: 'The id of the session.' })
  }),
  answers: { 302: { text: '`Location` is the address of the recording.' } },
  refusals: UNKNOWN_TOKEN
})

/** The route that `get_session_replay_url()` of posthog-js links to. */
export const createReplayLink = ({ projectOf }: TokenReader) =>
  createRouter().get('/project/:token/replay/:id', LINK, async (c) => {
    const { id } = await projectOf(c, readToken({ token: c.req.param('token') }))
    const session = encodeURIComponent(c.req.param('id'))
    return c.redirect(`/api/environments/${id}/session_recordings/${session}/`, 302)
  })
