import { type SQL, sql } from 'drizzle-orm'
import { actorOfNumber, isPersonNumber } from '../columns/actor-numbers.ts'
import type { ActorSet } from '../columns/actor-set.ts'
import { countValues, query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { compileFilter, distinctTexts, textOf } from '../db/filter.ts'
import { inJson } from '../db/rows.ts'
import { persons } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { invalid } from '../properties/filter.ts'
import { type Matching, matchTexts } from '../properties/matching.ts'
import { type Behavior, type Inlined, leavesIn } from './definition.ts'
import { m, membersOf } from './store.ts'

/**
 * Maximum number of bound values in a condition on persons. A D1 statement allows 100, of which the
 * page, its cursor and the other filters take up to 14. A filter usually takes two values, so that
 * a request's 40 filters fit.
 */
const MAX_VALUES = 85

/** Maximum number of distinct values of a key for an operator that must examine each of them. */
export const MAX_DISTINCT_VALUES = 200_000

/** Maximum number of persons that a list selects by what they did; their ids take 1.6 MB. */
const MAX_LISTED = 150_000

/** Who fulfils each behaviour of a definition. */
export type Behaviors = ReadonlyMap<Behavior, ActorSet>

/**
 * Compiles a definition to a condition on persons `m`. For operators that SQL lacks, it reads the
 * distinct values of their keys, in one round trip, and compares each of them.
 * @throws invalid_input, attr `properties`, for a key with too many distinct values
 * @throws query_too_large, attr `properties`, when the values have too many bytes, comparing them
 * takes too much work, or the condition takes more than `MAX_VALUES` bound values
 */
export async function compileDefinition(
  db: Db,
  project: { id: number; timezone: string; weekStart: number },
  definition: Inlined,
  { behaviors, now }: { behaviors: Behaviors; now: Date }
): Promise<SQL> {
  const filters = leavesIn(definition).flatMap((leaf) =>
    leaf.kind === 'person' ? [leaf.filter] : []
  )
  const matching = await matchTexts(filters, {
    timezone: project.timezone,
    now,
    limit: MAX_DISTINCT_VALUES,
    tooMany: (key) =>
      invalid(
        `${JSON.stringify(key)} has more than ${MAX_DISTINCT_VALUES} distinct values, too many for this operator.`
      ),
    readTexts: async (asked, maxBytes) => {
      const most = { texts: MAX_DISTINCT_VALUES, bytes: maxBytes }
      const queries = asked.map(({ key }) =>
        query<{ text: string }>(distinctTexts(textsOf(project.id, key), most))
      )
      return (await readBatch(db, ...queries)).map((rows) => rows.map(({ text }) => text))
    }
  })
  const condition = conditionOf(definition, { projectId: project.id, matching, behaviors })
  if (countValues(condition) > MAX_VALUES) {
    throw new AppError(
      'query_too_large',
      'There are too many filters for one query: send fewer filters.',
      'properties'
    )
  }
  return condition
}

const textsOf = (projectId: number, key: string): SQL =>
  sql`select ${textOf(sql`${m.properties}`, key)} as text from ${persons} ${m} where ${m.projectId} = ${projectId}`

type Known = { projectId: number; matching: Matching; behaviors: Behaviors }

function conditionOf(node: Inlined, known: Known): SQL {
  switch (node.kind) {
    case 'group': {
      const conditions = node.nodes.map((one) => conditionOf(one, known))
      const operator = node.type === 'OR' ? sql` or ` : sql` and `
      return conditions.length === 0 ? sql`1` : sql`(${sql.join(conditions, operator)})`
    }
    case 'not':
      return sql`not ${conditionOf(node.node, known)}`
    case 'person': {
      const group = { type: 'AND' as const, values: [node.filter] }
      return compileFilter(() => sql`${m.properties}`, group, known.matching)
    }
    case 'members':
      return sql`(${m.id} in (${membersOf(known.projectId, node.id)}))`
    default:
      return behaved(known.behaviors.get(node))
  }
}

/** @throws query_too_large, attr `properties` */
function behaved(actors: ActorSet | undefined): SQL {
  if (!actors) {
    throw new Error('The actors of a behaviour were not counted.')
  }
  const ids: number[] = []
  for (const number of actors.noted()) {
    if (isPersonNumber(number)) {
      ids.push(actorOfNumber(number))
    }
    if (ids.length > MAX_LISTED) {
      throw new AppError(
        'query_too_large',
        `A list of persons is filtered by what at most ${MAX_LISTED} persons did: choose a shorter time, or ask a question about the cohort.`,
        'properties'
      )
    }
  }
  return actors.isInverted ? sql`(${m.id} not in ${inJson(ids)})` : sql`(${m.id} in ${inJson(ids)})`
}
