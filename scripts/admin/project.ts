import { Project, ProjectChange, projectToJson } from '../../src/access/project.ts'
import { createProject, listProjects, listUsers, updateProject } from '../../src/access/store.ts'
import {
  changeRule,
  command,
  decimal,
  Id,
  InputError,
  integer,
  json,
  Nothing,
  type Option,
  onOff,
  text
} from './command.ts'

const settingOptions = {
  recording: onOff,
  recording_sample: decimal,
  recording_minimum_duration: decimal,
  console_capture: onOff,
  heatmaps: onOff,
  web_vitals: onOff,
  exceptions: onOff,
  location: text
}

/** A number of days, or `default` for the deployment's setting. */
const days: Option = { read: (value) => (value === 'default' ? null : integer.read(value)) }

/** The options that both `create` and `update` have. */
const sharedOptions = {
  name: text,
  timezone: text,
  week_start: text,
  test_account_filters: json,
  recording_retention_days: days,
  ...settingOptions
}

const SETTINGS_USAGE =
  '[--recording on|off] [--recording-sample <0…1>] [--recording-minimum-duration <seconds>] [--console-capture on|off] [--heatmaps on|off] [--web-vitals on|off] [--exceptions on|off] [--location off|country|city]'

/** The usage of `sharedOptions`, except `--name`. */
const SHARED_USAGE = `[--timezone <IANA name>] [--week-start sunday|monday] [--test-account-filters <JSON array>] [--recording-retention-days <days>|default] ${SETTINGS_USAGE}`

export const project = {
  create: command({
    usage: `--name <text> ${SHARED_USAGE} [--owner <user id>] [--database <D1 binding>]`,
    options: { ...sharedOptions, owner: integer, database: text },
    schema: Project.extend({ owner: Id.optional() }),
    async run({ db, databases }, { owner, ...input }, now) {
      if (!databases.includes(input.database)) {
        throw new InputError('database', `must be one of the D1 bindings ${databases.join(', ')}`)
      }
      const users = await listUsers(db)
      const ownerId = owner ?? users[0]?.id
      if (ownerId === undefined) {
        throw new InputError(
          'owner',
          'there is no user yet: create one first with npm run user -- create'
        )
      }
      if (!users.some((user) => user.id === ownerId)) {
        throw new InputError('owner', `There is no user ${ownerId}.`)
      }
      return projectToJson(await createProject(db, input, ownerId, now))
    }
  }),

  list: command({
    usage: '',
    options: {},
    schema: Nothing,
    run: async ({ db }) => ({ projects: (await listProjects(db)).map(projectToJson) })
  }),

  update: command({
    usage: `<id> [--name <text>] ${SHARED_USAGE}`,
    options: { id: integer, ...sharedOptions },
    schema: ProjectChange.extend({ id: Id }).refine(...changeRule),
    run: async ({ db }, { id, ...change }) => projectToJson(await updateProject(db, id, change))
  })
}
