import * as z from 'zod'
import { openControl } from '../../db/client.ts'
import { mailFaultOf, sendEmail } from '../../email.ts'
import { AppError, NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage, rowsOf } from '../../http/page.ts'
import { expectNoBody, validateBody, validatePath, validateQuery } from '../../http/validation.ts'
import { KnownId } from '../../input/parameters.ts'
import type { Sent } from '../../outbound.ts'
import { allowCaller } from '../auth.ts'
import { covers, expectCovered } from '../grant.ts'
import { ROLE_SCOPES } from '../roles.ts'
import { findProjects } from '../store.ts'
import { throttle } from '../throttle.ts'
import { toInvitation } from './email.ts'
import { invitationLink } from './invitation.ts'
import { BEYOND, CREATE, LIST, REDEEM, WITHDRAW } from './reference.ts'
import { InvitationInput, invitationToJson, RedeemJson } from './schemas.ts'
import {
  createInvitation,
  findOpenInvitation,
  inviteUser,
  listOpenInvitations,
  redeemInvitation,
  withdrawInvitation
} from './store.ts'

const ListQuery = PageQuery.omit({ cursor: true })

const InvitationPath = z.object({ id: KnownId })

export const invitationRoutes = createRouter()
  .post('/api/invitations/redeem', REDEEM, validateBody(RedeemJson), async (c) => {
    const { now, usage } = c.var
    const address = c.req.header('CF-Connecting-IP') ?? ''
    await throttle(c.env, `invitations ${address}`, '', now)
    const { db } = openControl(c.env, usage)
    return c.json({ value: await redeemInvitation(db, c.req.valid('json'), now) }, 201)
  })
  .get(
    '/api/invitations',
    LIST,
    allowCaller('personal_api_key:read'),
    validateQuery(ListQuery),
    async (c) => {
      const { control, key, now } = c.var
      const page = readPage(c.req.url, NO_CURSOR, c.req.valid('query'))
      const all = await listOpenInvitations(control, key.projectIds, now)
      return answerList(c, page, rowsOf(page, all), {
        toJson: (found) => invitationToJson(found, key)
      })
    }
  )
  .post(
    '/api/invitations',
    CREATE,
    allowCaller('personal_api_key:write'),
    validateBody(InvitationInput),
    async (c) => {
      const { control, key, user: inviting, now } = c.var
      const { target_email: to, role, scoped_teams, send_email } = c.req.valid('json')
      const projectIds = [...new Set(scoped_teams)]
      const grant = { scopes: ROLE_SCOPES[role], projectIds, expiresAt: key.expiresAt }
      expectCovered(key, grant, 'role')
      const user = await inviteUser(control, to, now)
      const { code, invitation } = await createInvitation(
        control,
        { ...grant, userId: user.id, createdBy: inviting.id },
        now
      )
      const link = invitationLink(new URL(c.req.url).origin, code)
      const projects = await findProjects(control, projectIds)
      const sent = send_email
        ? await sendEmail(
            c.env.EMAIL,
            c.env.EMAIL_FROM,
            to,
            toInvitation({ link, role, to, inviting, projects, expiresAt: invitation.expiresAt })
          )
        : undefined
      const fault = sent ? faultOf(sent, c.env) : null
      return c.json(
        {
          ...invitationToJson({ invitation, user, createdBy: inviting }, key),
          link,
          emailed: sent !== undefined && fault === null,
          email_error: fault
        },
        201
      )
    }
  )
  .delete(
    '/api/invitations/:id',
    WITHDRAW,
    allowCaller('personal_api_key:write'),
    validatePath(InvitationPath),
    expectNoBody,
    async (c) => {
      const { control, key, now } = c.var
      const { id } = c.req.valid('param')
      const found = await findOpenInvitation(control, id, key.projectIds, now)
      if (!found) {
        throw new NotFoundError()
      }
      if (!covers(key, found.invitation)) {
        throw new AppError(...BEYOND)
      }
      await withdrawInvitation(control, id, now)
      return c.body(null, 204)
    }
  )

/** Returns why an e-mail reaches no mailbox; null if it does. */
const faultOf = (sent: Sent, env: Env): string | null =>
  sent.kind === 'sent' ? mailFaultOf(env) : sent.error
