import { numberOfActor } from '../columns/actor-numbers.ts'
import { ActorSet } from '../columns/actor-set.ts'
import type { Cohorts } from '../columns/values.ts'
import type { Db } from '../db/client.ts'
import { deciderOf } from '../properties/decide.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import { type BehaviorCounting, countBehaviors } from './behaviors.ts'
import { type Behavior, type Inlined, isStored, leavesIn } from './definition.ts'
import { inlineCohorts } from './inline.ts'
import { compileDefinition } from './persons.store.ts'
import { readMatching, readMembers } from './store.ts'

/**
 * Finds who is now in the cohorts that some filters name, once for a question. A person is in a
 * cohort with all its identities. Actors without a person have no properties, are no members of
 * static cohorts, and can be in cohorts by what they did; so can erased persons whose events are
 * kept.
 * @throws invalid_input, attr `properties`, for an unknown cohort; query_too_large, attr `rows`,
 * before an event is read; the errors of filters
 */
export async function resolveCohorts(
  db: Db,
  project: { id: number; timezone: string; weekStart: number },
  filters: readonly FilterGroup[],
  now: Date,
  stepEvents?: number
): Promise<Cohorts> {
  const named = filters
    .flatMap(leavesOf)
    .flatMap(({ type, key }) => (type === 'cohort' ? [key] : []))
  const definitions = await inlineCohorts({ db, project, now }, named)
  const counting = { db, project, now, stepEvents }
  const behaviors = await countBehaviors(counting, behaviorsIn([...definitions.values()]))
  const cohorts = new Map<string, ActorSet>()
  for (const [id, definition] of definitions) {
    cohorts.set(id, await actorsOf(definition, { ...counting, behaviors }))
  }
  return cohorts
}

/** Lists what some definitions ask of events. */
export const behaviorsIn = (definitions: readonly Inlined[]): Behavior[] =>
  definitions.flatMap(leavesIn).filter((leaf) => leaf.kind === 'behavior')

type Resolving = BehaviorCounting & { behaviors: ReadonlyMap<Behavior, ActorSet> }

async function actorsOf(node: Inlined, resolving: Resolving): Promise<ActorSet> {
  if (node.kind === 'members') {
    return readAll(readMembers(resolving, node.id), false)
  }
  if (isStored(node)) {
    return actorsByPerson(node, resolving)
  }
  switch (node.kind) {
    case 'behavior': {
      const actors = resolving.behaviors.get(node)
      if (!actors) {
        throw new Error('The actors of a behaviour were not counted.')
      }
      return actors
    }
    case 'not':
      return (await actorsOf(node.node, resolving)).inverse()
    case 'group': {
      const stored = node.nodes.filter(isStored)
      const joined: Inlined[] = stored.length > 1 ? [{ ...node, nodes: stored }] : stored
      const sets: ActorSet[] = []
      for (const one of [...joined, ...node.nodes.filter((other) => !isStored(other))]) {
        sets.push(await actorsOf(one, resolving))
      }
      return ActorSet.join(sets, node.type)
    }
    default:
      throw new Error('Persons tell everything about this node.')
  }
}

/**
 * Finds the actors of a node that persons tell everything about. If an actor without a person
 * fulfils it, the set has everybody but the persons that do not.
 */
async function actorsByPerson(node: Inlined, resolving: Resolving): Promise<ActorSet> {
  const { db, project, now } = resolving
  const isInverted = await holdsForNobody(node, project.timezone, now)
  const asked: Inlined = isInverted ? { kind: 'not', node } : node
  const condition = await compileDefinition(db, project, asked, resolving)
  return readAll(readMatching(resolving, condition), isInverted)
}

async function readAll(pages: AsyncIterable<number[]>, isInverted: boolean): Promise<ActorSet> {
  const actors = new ActorSet(isInverted)
  for await (const ids of pages) {
    for (const id of ids) {
      actors.note(numberOfActor(id))
    }
  }
  return actors
}

/** Whether an actor without a person, who has no properties, fulfils a node. */
async function holdsForNobody(node: Inlined, timezone: string, now: Date): Promise<boolean> {
  switch (node.kind) {
    case 'group': {
      const held: boolean[] = []
      for (const one of node.nodes) {
        held.push(await holdsForNobody(one, timezone, now))
      }
      return node.type === 'OR' ? held.some(Boolean) : held.every(Boolean)
    }
    case 'not':
      return !(await holdsForNobody(node.node, timezone, now))
    case 'person':
      return (await deciderOf(node.filter, timezone, now)([null], new Work()))[0] === 1
    default:
      return false
  }
}
