import { parameters, setParameters } from '../address.ts'
import { call } from '../api.ts'
import { type Answer, chartOf, type QuestionNode, questionIn } from '../chart/answer.ts'
import { PersonsOfPoint } from '../chart/persons.tsx'
import { hasPersons, type Point, readPoint, writePoint } from '../chart/point.ts'
import { Drawer, maySeePersons } from '../drawer.tsx'
import type { SavedInsight } from '../insights/saved.ts'
import { useLoaded } from '../loaded.ts'
import { Fault, Skeleton } from '../parts.tsx'
import { project } from '../session.ts'
import type { Tile } from './api.ts'

/** The question of an insight whose points count persons, if the key may see who they are. */
function questionOf({ query }: SavedInsight): QuestionNode | undefined {
  const isNode = typeof query === 'object' && query !== null && Object.keys(query).length > 0
  return isNode && maySeePersons() && hasPersons(query) ? questionIn(query) : undefined
}

/** Returns what a click on a point of a tile does: the address names the point then. */
export const opening = ({ id, insight }: Tile): ((point: Point) => void) | undefined =>
  questionOf(insight) && ((point) => setParameters({ point: `${id}:${writePoint(point)}` }))

/** The persons behind the point that the address names. */
export function OpenedPoint({ tiles }: { tiles: readonly Tile[] }) {
  const [id, text = null] = (parameters.value.get('point') ?? '').split(':')
  const tile = tiles.find((one) => String(one.id) === id)
  const question = tile && questionOf(tile.insight)
  const point = readPoint(text)
  return question && point ? <Persons question={between(question)} point={point} /> : null
}

function between(question: QuestionNode): QuestionNode {
  const from = parameters.value.get('date_from')
  const to = parameters.value.get('date_to')
  return from === null && to === null
    ? question
    : { ...question, dateRange: { date_from: from, date_to: to } }
}

/** The question is asked again, because a tile only has its drawing. */
function Persons({ question, point }: { question: QuestionNode; point: Point }) {
  const name = JSON.stringify(question)
  const { data, error, reload } = useLoaded(name, async (signal) => ({
    name,
    answer: await call<Answer>('POST', 'query/', { body: { query: question }, signal })
  }))
  const close = () => setParameters({ point: undefined })
  const place = { timezone: project.value?.timezone ?? 'UTC', now: new Date() }
  const chart = data?.name === name ? chartOf(question, data.answer, place) : undefined
  return chart ? (
    <PersonsOfPoint question={question} chart={chart} point={point} close={close} />
  ) : (
    <Drawer title="Persons" label="Persons behind the point" close={close}>
      {error ? <Fault error={error} retry={reload} /> : <Skeleton rows={8} />}
    </Drawer>
  )
}
