import * as z from 'zod'
import { AppError, NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage, rowsOf } from '../../http/page.ts'
import { expectNoBody, validateBody, validatePath, validateQuery } from '../../http/validation.ts'
import { KnownId } from '../../input/parameters.ts'
import { allowCaller } from '../auth.ts'
import { covers, expectCovered } from '../grant.ts'
import { createKey, findProjects, revokeKey } from '../store.ts'
import { BEYOND, CREATE, LIST, OWN, REVOKE, REVOKE_OWN } from './reference.ts'
import { grantOf, KeyInput, keyToJson, ownKeyToJson } from './schemas.ts'
import { findValidKey, listValidKeys } from './store.ts'

const ListQuery = PageQuery.omit({ cursor: true })

const KeyPath = z.object({ id: KnownId })

// `@current` must come before `:id`.
export const keyRoutes = createRouter()
  .get('/api/personal_api_keys/@current', OWN, allowCaller(), async (c) => {
    const { control, key, user } = c.var
    return c.json(ownKeyToJson(key, user, await findProjects(control, key.projectIds)))
  })
  .delete('/api/personal_api_keys/@current', REVOKE_OWN, allowCaller(), expectNoBody, async (c) => {
    await revokeKey(c.var.control, c.var.key.id, c.var.now)
    return c.body(null, 204)
  })
  .get(
    '/api/personal_api_keys',
    LIST,
    allowCaller('personal_api_key:read'),
    validateQuery(ListQuery),
    async (c) => {
      const { control, key, now } = c.var
      const page = readPage(c.req.url, NO_CURSOR, c.req.valid('query'))
      const all = await listValidKeys(control, key.projectIds, now)
      return answerList(c, page, rowsOf(page, all), { toJson: (found) => keyToJson(found, key) })
    }
  )
  .post(
    '/api/personal_api_keys',
    CREATE,
    allowCaller('personal_api_key:write'),
    validateBody(KeyInput),
    async (c) => {
      const { control, key: by, user, now } = c.var
      const input = c.req.valid('json')
      const { scopes, projectIds, expiresAt } = grantOf(input, by)
      expectCovered(by, { scopes, projectIds, expiresAt }, 'scopes')
      if (expiresAt !== null && expiresAt <= now.getTime()) {
        throw new AppError('invalid_input', 'This time has passed: send a later one.', 'expires_at')
      }
      const { key: value, ...key } = await createKey(
        control,
        {
          label: input.label,
          scopes,
          projectIds,
          userId: user.id,
          createdBy: user.id,
          expiresAt: expiresAt === null ? undefined : new Date(expiresAt)
        },
        now
      )
      return c.json({ ...keyToJson({ key, user, createdBy: user }, by), value }, 201)
    }
  )
  .delete(
    '/api/personal_api_keys/:id',
    REVOKE,
    allowCaller('personal_api_key:write'),
    validatePath(KeyPath),
    expectNoBody,
    async (c) => {
      const { control, key: by, now } = c.var
      const found = await findValidKey(control, c.req.valid('param').id, by.projectIds, now)
      if (!found) {
        throw new NotFoundError()
      }
      if (!covers(by, found.key)) {
        throw new AppError(...BEYOND)
      }
      await revokeKey(control, found.key.id, now)
      return c.body(null, 204)
    }
  )
