import type { Context } from 'hono'
import * as z from 'zod'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { isObject } from '../../input/json.ts'
import { readJson, readToken } from '../body.ts'
import { answerDecide, answerFlags, configScript, remoteConfig } from '../config.ts'
import { FlagsJson, FlagsRequestJson, RemoteConfigJson } from '../schemas.ts'
import { BODY_FORMS, payloadOf, type TokenReader, UNKNOWN_TOKEN, UNREADABLE } from '../token.ts'
import { ABSENT_FEATURES, type AbsentFeature } from './absent.ts'

const describeFlags = (id: string, summary: string) =>
  describe({
    id,
    tag: 'For SDKs',
    takesAnyQuery: true,
    summary,
    description: `Feature flags are not supported: the response contains none, in the format of version \`v\`. ${BODY_FORMS}`,
    query: z.object({
      v: z.string().optional().meta({ description: 'The version of the response format.' }),
      config: z.string().optional().meta({
        description:
          '`true` adds the configuration to the response of `/flags`; the response of `/decide` always contains it.'
      })
    }),
    body: FlagsRequestJson,
    answers: { 200: { text: 'An empty set of flags.', schema: FlagsJson } },
    refusals: UNREADABLE
  })

const Token = z.string().meta({ description: "The project's capture token." })

const CONFIG = describe({
  id: 'array_config',
  tag: 'For SDKs',
  takesAnyQuery: true,
  summary: 'Configuration of a browser SDK',
  path: z.object({ token: Token }),
  answers: { 200: { text: 'The configuration.', schema: RemoteConfigJson } },
  refusals: UNKNOWN_TOKEN
})

const CONFIG_SCRIPT = describe({
  id: 'array_config_js',
  tag: 'For SDKs',
  takesAnyQuery: true,
  summary: 'Configuration of a browser SDK, as a script',
  path: z.object({ token: Token }),
  answers: { 200: { text: 'The script.', type: 'text/javascript' } },
  refusals: UNKNOWN_TOKEN
})

const describeAbsent = ({ id, summary, answer }: AbsentFeature) =>
  describe({
    id,
    tag: 'For SDKs',
    takesAnyQuery: true,
    summary,
    query: z.object({ token: Token }),
    answers: { 200: { text: 'An empty list: the feature is not supported.', schema: answer } },
    refusals: UNKNOWN_TOKEN
  })

/** Browsers and proxies may cache a project's configuration for five minutes. */
const CONFIG_CACHE = 'public, max-age=300'

/**
 * The routes that SDKs read: their configuration, and empty answers for features that do not exist
 * here.
 */
export function createSdkRoutes({ projectOf }: TokenReader) {
  const findProject = async (c: Context<AppEnv>, given: string | undefined) => {
    const token = readToken({ token: given ?? null })
    return { token, ...(await projectOf(c, token)) }
  }

  const flags = async (c: Context<AppEnv>) => {
    const body = await readJson(payloadOf(c))
    const token = readToken(isObject(body) ? body : {})
    const { settings } = await projectOf(c, token)
    const version = c.req.query('v')
    const config = remoteConfig(token, settings)
    const wantsConfig = c.req.query('config') === 'true'
    return c.json(
      c.req.path.startsWith('/decide')
        ? answerDecide(version, config, c.var.requestId)
        : answerFlags(version, wantsConfig ? config : undefined, c.var.requestId)
    )
  }

  const routes = createRouter()
    .post('/flags', describeFlags('flags', 'Feature flags'), flags)
    .post(
      '/decide',
      describeFlags('decide', 'Feature flags and configuration, for older SDKs'),
      flags
    )
    .get('/array/:token/config', CONFIG, async (c) => {
      const { token, settings } = await findProject(c, c.req.param('token'))
      return c.json(remoteConfig(token, settings), 200, { 'Cache-Control': CONFIG_CACHE })
    })
    .get('/array/:token/config.js', CONFIG_SCRIPT, async (c) => {
      const { token, settings } = await findProject(c, c.req.param('token'))
      const headers = {
        'Cache-Control': CONFIG_CACHE,
        'Content-Type': 'text/javascript; charset=utf-8'
      }
      return c.body(configScript(token, settings), 200, headers)
    })
  for (const absent of ABSENT_FEATURES) {
    const none = absent.answer.parse({})
    routes.get(absent.path, describeAbsent(absent), async (c) => {
      await findProject(c, c.req.query('token'))
      return c.json(none, 200, { 'Cache-Control': CONFIG_CACHE })
    })
  }
  return routes
}
