import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { setParameters } from '../address.ts'
import { call } from '../api.ts'
import { type Filter, writeFilters } from '../filters/filter.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Dialog, Fault, Skeleton } from '../parts.tsx'
import { count } from '../words.ts'
import {
  type Card,
  isRowOn,
  ROWS,
  type RowsProps,
  type Tab,
  type TableAnswer,
  toggleRow
} from './question.ts'
import { rowName, share } from './words.ts'

type RankRowProps = {
  name: string
  value: number
  /** From 0 to 1: how long its bar is, and its share of all. */
  bar: number
  share?: number | undefined
  isOn?: boolean
  run?: () => void
  href?: string
}

/** A row of a ranked list, with its bar. */
export function RankRow({ name, value, bar, share: part, isOn = false, run, href }: RankRowProps) {
  const inside = (
    <>
      <bdi class="name">{name.slice(0, 300)}</bdi>
      {part !== undefined && <span class="p">{share.format(part)}</span>}
      <span class="v">{count(value)}</span>
    </>
  )
  return (
    <li
      class={isOn ? 'is-on' : ''}
      ref={(row) => row?.style.setProperty('--v', String(Math.min(1, bar)))}
    >
      {href ? (
        <a class="rank-b" data-row href={href} title={name.slice(0, 300)}>
          {inside}
        </a>
      ) : (
        <button
          type="button"
          class="rank-b"
          data-row
          aria-pressed={isOn}
          title={name.slice(0, 300)}
          disabled={!run}
          onClick={run}
        >
          {inside}
        </button>
      )}
    </li>
  )
}

/** Rows that are filters: a click narrows the page, a second one widens it again. */
export function Rows({ tab, rows, filters, total }: RowsProps) {
  const most = Math.max(1, ...rows.map(([, [visitors]]) => visitors))
  return (
    <ul class="rank">
      {rows.map(([value, [visitors]]) => (
        <RankRow
          key={JSON.stringify(value)}
          name={rowName(tab, value)}
          value={visitors}
          bar={visitors / most}
          share={total > 0 ? visitors / total : undefined}
          isOn={isRowOn(tab, value, filters)}
          run={() => setParameters({ properties: writeFilters(toggleRow(tab, value, filters)) })}
        />
      ))}
    </ul>
  )
}

type CountryMap = (props: RowsProps) => ComponentChildren

const countryMap = signal<CountryMap | 'unreachable' | undefined>(undefined)

/** Loads the map, whose outlines are needed nowhere else. */
async function loadMap(): Promise<void> {
  const loaded = await import('./map.tsx').catch(() => undefined)
  countryMap.value = loaded ? loaded.CountryMap : 'unreachable'
}

function LazyMap(props: RowsProps) {
  const Loaded = countryMap.value
  useEffect(() => {
    void loadMap()
  }, [])
  if (Loaded === 'unreachable') {
    return <p class="pad mut map">The map cannot be loaded. Reload the page.</p>
  }
  return Loaded ? <Loaded {...props} /> : <div class="map" />
}

type CardFrameProps = { title: string; tools?: ComponentChildren; children: ComponentChildren }

export const CardFrame = ({ title, tools, children }: CardFrameProps) => (
  <section class="card" aria-label={title}>
    <header>
      <h2>{title}</h2>
      <span class="grow" />
      {tools}
    </header>
    {children}
  </section>
)

type RankCardProps = {
  card: Card
  /** The list that the address asks for, and the one whose rows are here. */
  tab: Tab
  shown: Tab
  answer: TableAnswer | undefined
  filters: readonly Filter[]
  total: number
  /** The members of a question for the same period with the same filters. */
  question: object
}

/** A card with a ranked list. */
export function RankCard({ card, tab, shown, answer, filters, total, question }: RankCardProps) {
  const isOpen = useSignal(false)
  const all = answer?.results ?? []
  const rows = shown.isMap ? all : all.slice(0, ROWS)
  const props = { tab: shown, rows, filters, total }
  return (
    <CardFrame
      title={card.title}
      tools={
        card.tabs.length > 1 && (
          <fieldset class="seg" aria-label={`List of ${card.title.toLowerCase()}`}>
            {card.tabs.map((one) => (
              <button
                key={one.id}
                type="button"
                aria-pressed={one === tab}
                onClick={() =>
                  setParameters({ [card.id]: one === card.tabs[0] ? undefined : one.id })
                }
              >
                {one.name}
              </button>
            ))}
          </fieldset>
        )
      }
    >
      {answer && (shown.isMap ? <LazyMap {...props} /> : <Rows {...props} />)}
      {!answer && (
        <div class="pad">
          <Skeleton rows={ROWS} />
        </div>
      )}
      {answer && rows.length === 0 && <p class="pad mut nothing">None in this period.</p>}
      <button
        type="button"
        class="more"
        disabled={!answer?.hasMore && all.length <= ROWS}
        onClick={() => {
          isOpen.value = true
        }}
      >
        {card.all}
        <Icon name="next" small />
      </button>
      {isOpen.value && (
        <AllRows
          title={card.all}
          tab={shown}
          filters={filters}
          total={total}
          question={question}
          close={() => {
            isOpen.value = false
          }}
        />
      )}
    </CardFrame>
  )
}

/** Rows of a whole list at once. */
const PAGE = 200

type AllProps = Omit<RowsProps, 'rows'> & { title: string; question: object; close: () => void }

/** All rows of a list, which are filters too. */
function AllRows({ title, tab, question, close, ...shown }: AllProps) {
  const limit = useSignal(PAGE)
  const query = { ...question, kind: 'WebStatsTableQuery', breakdownBy: tab.by, limit: limit.value }
  const { data, error, reload } = useLoaded(JSON.stringify(query), (signal) =>
    call<TableAnswer>('POST', 'query/', { body: { query }, signal })
  )
  return (
    <Dialog
      title={title}
      close={close}
      footer={
        <>
          {data?.hasMore && (
            <button
              type="button"
              class="b quiet side"
              onClick={() => {
                limit.value += PAGE
              }}
            >
              Show more
            </button>
          )}
          <button type="button" class="b" onClick={close}>
            Close
          </button>
        </>
      }
    >
      {error && <Fault error={error} retry={reload} />}
      <div class="all-rows">
        {data ? <Rows {...shown} tab={tab} rows={data.results} /> : <Skeleton rows={10} />}
      </div>
    </Dialog>
  )
}
