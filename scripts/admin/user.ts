import { createUser, listUsers, updateUser } from '../../src/access/store.ts'
import { JOBS, User, UserChange, userToJson } from '../../src/access/user.ts'
import {
  boolean,
  changeRule,
  command,
  Id,
  integer,
  json,
  Nothing,
  nullable,
  text
} from './command.ts'

const fields = {
  first_name: text,
  last_name: text,
  email: text,
  distinct_id: text,
  is_email_verified: boolean,
  hedgehog_config: json,
  role_at_organization: nullable
}

const OPTIONAL = `[--last-name <text>] [--distinct-id <text>] [--is-email-verified true|false|null] [--hedgehog-config <JSON object>] [--role-at-organization ${JOBS.join('|')}|null]`

export const user = {
  create: command({
    usage: `--first-name <text> --email <address> ${OPTIONAL}`,
    options: fields,
    schema: User,
    run: async ({ db }, input, now) => userToJson(await createUser(db, input, now))
  }),

  list: command({
    usage: '',
    options: {},
    schema: Nothing,
    run: async ({ db }) => ({ users: (await listUsers(db)).map(userToJson) })
  }),

  update: command({
    usage: `<id> [--first-name <text>] [--email <address>] ${OPTIONAL}`,
    options: { id: integer, ...fields },
    schema: UserChange.extend({ id: Id }).refine(...changeRule),
    run: async ({ db }, { id, ...change }) => userToJson(await updateUser(db, id, change))
  })
}
