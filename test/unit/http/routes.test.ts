import { expect, it, describe as suite } from 'vitest'
import * as z from 'zod'
import { allow } from '../../../src/access/auth.ts'
import { createDocument } from '../../../src/http/document.ts'
import { createRouter } from '../../../src/http/env.ts'
import { describe } from '../../../src/http/openapi.ts'
import { validateBody, validateQuery } from '../../../src/http/validation.ts'
import { pathTo, routesOf } from '../../support/routes.ts'

const TAG = { tag: 'Segments', summary: 'New' }
const SEGMENT = { id: 7, name: 'Buyers' }

const Segment = z
  .object({ id: z.int().optional(), name: z.string(), note: z.string().optional() })
  .meta({ id: 'Segment', examples: [{ ...SEGMENT, note: 'Since May' }] })
const Unexampled = z.object({ name: z.string() }).meta({ id: 'Unexampled' })

const answer = (status: number) => ({ [status]: { text: 'Done.', schema: Segment } })

/** Returns the routes that the access tests would read from an API with this router. */
const tableOf = (router: ReturnType<typeof createRouter>, makers: string[] = []) =>
  routesOf(
    createDocument(createRouter().route('/api/environments/:project_id', router).routes, {}, []),
    makers
  )

const problemsOf = (...given: Parameters<typeof tableOf>) =>
  tableOf(...given).flatMap(({ problems }) => problems)

suite('a new route', () => {
  const surveys = () =>
    createRouter()
      .post(
        '/surveys',
        describe({ ...TAG, id: 'surveys_create', answers: answer(201) }),
        allow('survey:write'),
        validateBody(Segment),
        (c) => c.json(SEGMENT, 201)
      )
      .get(
        '/surveys/:id/members',
        describe({ ...TAG, id: 'surveys_members', answers: answer(200) }),
        allow('survey:read', 'person:read'),
        validateQuery(
          z.object({
            by: z.enum(['name', 'age']).meta({ description: 'Their order.' }),
            page: z.string().optional().meta({ description: 'Which page.' })
          })
        ),
        (c) => c.json(SEGMENT)
      )

  it('is read from its description', () => {
    const [create, members] = tableOf(surveys())

    expect(create).toEqual({
      name: 'POST surveys/',
      method: 'POST',
      path: 'surveys/',
      collections: [],
      objects: {},
      query: '',
      body: { name: 'Buyers' },
      scopes: ['survey:write'],
      status: 201,
      problems: []
    })
    expect(members).toMatchObject({
      name: 'GET surveys/{id}/members/',
      collections: ['surveys'],
      query: '?by=name',
      body: undefined,
      scopes: ['survey:read', 'person:read'],
      status: 200
    })
    expect(members && pathTo(members, { surveys: 7 })).toBe('surveys/7/members')
    expect(members && pathTo(members, {})).toBe('surveys/999999999/members')
  })

  it('is reported when it needs no key', () => {
    const router = createRouter().get(
      '/surveys',
      describe({ ...TAG, id: 'surveys_list', answers: answer(200) }),
      (c) => c.json(SEGMENT)
    )

    expect(problemsOf(router)).toEqual([
      "GET surveys/ requires no key: put allow('survey:read') after its describe."
    ])
  })

  it('is reported when its scope or status does not follow from its method and path', () => {
    const router = createRouter().delete(
      '/surveys/:id',
      describe({ ...TAG, id: 'surveys_destroy', answers: answer(200) }),
      allow('survey:read'),
      (c) => c.json(SEGMENT)
    )

    expect(problemsOf(router, ['surveys'])).toEqual([
      'DELETE surveys/{id}/ requires survey:read, but its method and path imply survey:write: change its allow, or add the route to EXCEPTIONS in test/support/routes.ts.',
      'DELETE surveys/{id}/ succeeds with 200, but its method and path imply 204: change its answers, or add the route to EXCEPTIONS in test/support/routes.ts.'
    ])
  })

  it('is reported when it has no example, or when no route creates its object', () => {
    const router = createRouter().patch(
      '/surveys/:id',
      describe({ ...TAG, id: 'surveys_update', answers: answer(200) }),
      allow('survey:write'),
      validateQuery(z.object({ as: z.string().meta({ description: 'A name.' }) })),
      validateBody(Unexampled),
      (c) => c.json(SEGMENT)
    )

    expect(problemsOf(router)).toEqual([
      'The parameter as of PATCH surveys/{id}/ has no example: give it one with .meta({ example }).',
      'The body of PATCH surveys/{id}/ has no example: give it one with .meta({ examples }).',
      'PATCH surveys/{id}/ needs an object of surveys, but no route creates one: describe a POST surveys/ that answers with it, or add surveys to MAKERS in auth.test.ts.'
    ])
  })
})
