import { expect, it, describe as suite } from 'vitest'
import * as z from 'zod'
import { allow } from '../../../src/access/auth.ts'
import { createDocument } from '../../../src/http/document.ts'
import { createRouter } from '../../../src/http/env.ts'
import { describe } from '../../../src/http/openapi.ts'
import { validateBody, validateQuery } from '../../../src/http/validation.ts'
import { pathTo, routesOf } from '../../support/routes.ts'

const TAG = { tag: 'Cohorts', summary: 'New' }
const COHORT = { id: 7, name: 'Buyers' }

const Cohort = z
  .object({ id: z.int().optional(), name: z.string(), note: z.string().optional() })
  .meta({ id: 'Cohort', examples: [{ ...COHORT, note: 'Since May' }] })
const Unexampled = z.object({ name: z.string() }).meta({ id: 'Unexampled' })

const answer = (status: number) => ({ [status]: { text: 'Done.', schema: Cohort } })

/** Returns the routes that the access tests would read from an API with this router. */
const tableOf = (router: ReturnType<typeof createRouter>, makers: string[] = []) =>
  routesOf(
    createDocument(createRouter().route('/api/environments/:project_id', router).routes, {}, []),
    makers
  )

const problemsOf = (...given: Parameters<typeof tableOf>) =>
  tableOf(...given).flatMap(({ problems }) => problems)

suite('a new route', () => {
  const cohorts = () =>
    createRouter()
      .post(
        '/cohorts',
        describe({ ...TAG, id: 'cohorts_create', answers: answer(201) }),
        allow('cohort:write'),
        validateBody(Cohort),
        (c) => c.json(COHORT, 201)
      )
      .get(
        '/cohorts/:id/members',
        describe({ ...TAG, id: 'cohorts_members', answers: answer(200) }),
        allow('cohort:read', 'person:read'),
        validateQuery(
          z.object({
            by: z.enum(['name', 'age']).meta({ description: 'Their order.' }),
            page: z.string().optional().meta({ description: 'Which page.' })
          })
        ),
        (c) => c.json(COHORT)
      )

  it('is read from its description', () => {
    const [create, members] = tableOf(cohorts())

    expect(create).toEqual({
      name: 'POST cohorts/',
      method: 'POST',
      path: 'cohorts/',
      collections: [],
      query: '',
      body: { name: 'Buyers' },
      scopes: ['cohort:write'],
      status: 201,
      problems: []
    })
    expect(members).toMatchObject({
      name: 'GET cohorts/{id}/members/',
      collections: ['cohorts'],
      query: '?by=name',
      body: undefined,
      scopes: ['cohort:read', 'person:read'],
      status: 200
    })
    expect(members && pathTo(members, { cohorts: 7 })).toBe('cohorts/7/members')
    expect(members && pathTo(members, {})).toBe('cohorts/999999999/members')
  })

  it('is reported when it needs no key', () => {
    const router = createRouter().get(
      '/cohorts',
      describe({ ...TAG, id: 'cohorts_list', answers: answer(200) }),
      (c) => c.json(COHORT)
    )

    expect(problemsOf(router)).toEqual([
      "GET cohorts/ requires no key: put allow('cohort:read') after its describe."
    ])
  })

  it('is reported when its scope or status does not follow from its method and path', () => {
    const router = createRouter().delete(
      '/cohorts/:id',
      describe({ ...TAG, id: 'cohorts_destroy', answers: answer(200) }),
      allow('cohort:read'),
      (c) => c.json(COHORT)
    )

    expect(problemsOf(router, ['cohorts'])).toEqual([
      'DELETE cohorts/{id}/ requires cohort:read, but its method and path imply cohort:write: change its allow, or add the route to EXCEPTIONS in test/support/routes.ts.',
      'DELETE cohorts/{id}/ succeeds with 200, but its method and path imply 204: change its answers, or add the route to EXCEPTIONS in test/support/routes.ts.'
    ])
  })

  it('is reported when it has no example, or when no route creates its object', () => {
    const router = createRouter().patch(
      '/cohorts/:id',
      describe({ ...TAG, id: 'cohorts_update', answers: answer(200) }),
      allow('cohort:write'),
      validateQuery(z.object({ as: z.string().meta({ description: 'A name.' }) })),
      validateBody(Unexampled),
      (c) => c.json(COHORT)
    )

    expect(problemsOf(router)).toEqual([
      'The parameter as of PATCH cohorts/{id}/ has no example: give it one with .meta({ example }).',
      'The body of PATCH cohorts/{id}/ has no example: give it one with .meta({ examples }).',
      'PATCH cohorts/{id}/ needs an object of cohorts, but no route creates one: describe a POST cohorts/ that answers with it, or add cohorts to MAKERS in auth.test.ts.'
    ])
  })
})
