import { expect, it } from 'vitest'
import { Work } from '../../../src/properties/work.ts'
import { parseStatement } from '../../../src/sql/parse.ts'
import { readsPersons } from '../../../src/sql/person-reads.ts'
import { planStatement } from '../../../src/sql/plan.ts'
import { namesPersons } from '../../../src/sql/request.ts'

const SETTING = {
  timezone: 'Europe/Berlin',
  weekStart: 1,
  now: new Date('2026-03-04T12:00:00Z'),
  work: new Work(),
  warn: () => {}
}

it.each([
  ['SELECT properties.email FROM persons WHERE id IS NOT NULL', true],
  ['SELECT properties.email FROM persons AS id', true],
  ['SELECT "persons".id FROM `PERSONS` "persons"', true],
  ['SELECT count() FROM persons', true],
  ['SELECT id FROM persons AS person', true],
  ['SELECT `person`.properties.id FROM events', true],
  ['SELECT e.person.created_at FROM events AS e', true],
  ['SELECT pdi.person.properties FROM events', true],
  ['SELECT any(person.properties.id) FROM events', true],
  ['SELECT count() FROM events WHERE person.properties.id IS NULL', true],
  [
    'SELECT event, count() FROM events GROUP BY event HAVING any(person.properties.a) IS NULL',
    true
  ],
  ['SELECT event FROM events ORDER BY person.properties.a', true],
  ["SELECT JSONExtractString(person.properties, 'id') FROM events", true],
  ['SELECT x FROM (SELECT person.properties AS x FROM events)', true],
  ['SELECT event FROM events WHERE person_id IN (SELECT id FROM persons)', true],
  ['WITH id AS (SELECT properties.email FROM persons) SELECT * FROM id', true],
  ['SELECT 1 UNION ALL SELECT count() FROM persons', true],
  ['SELECT person.id, "person".id, PDI.person_id FROM events AS PDI', false],
  ['SELECT pdi.person.id, pdi.distinct_id, e.person.id FROM events AS e', false],
  ['SELECT session_id, distinct_id FROM sessions', false],
  ['SELECT * FROM events', false]
])('knows whether %s reads persons, by its words and by its plan', (statement, isReading) => {
  const plan = planStatement(parseStatement(statement), {
    setting: SETTING,
    kinds: { event: new Map(), person: new Map() },
    fill: () => {
      throw new Error('There are no placeholders.')
    }
  })

  expect([namesPersons(statement), readsPersons(plan)]).toEqual([isReading, isReading])
})
