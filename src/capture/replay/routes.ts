import * as z from 'zod'
import { type TokenReader, UNKNOWN_TOKEN } from '../../http/capture.ts'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { readToken } from '../body.ts'

const LINK = describe({
  id: 'replay_link',
  tag: 'Session recordings',
  takesAnyQuery: true,
  summary: 'A recording, as browser SDKs link to it',
  description:
    'Leads to `/api/environments/{project_id}/session_recordings/{id}/`, which asks for a key. Nothing is said of whether there is such a recording.',
  path: z.object({
    token: z.string().meta({ description: "The project's capture token." }),
    id: z.string().meta({ description: 'The id of the session.' })
  }),
  answers: { 302: { text: 'Where the recording is, in `Location`.' } },
  refusals: UNKNOWN_TOKEN
})

/** What `get_session_replay_url()` of posthog-js links to. */
export const createReplayLink = ({ projectOf }: TokenReader) =>
  createRouter().get('/project/:token/replay/:id', LINK, async (c) => {
    const { id } = await projectOf(c, readToken({ token: c.req.param('token') }))
    const session = encodeURIComponent(c.req.param('id'))
    return c.redirect(`/api/environments/${id}/session_recordings/${session}/`, 302)
  })
