import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { addressOf, parameters, path } from '../address.ts'
import { writeFilters } from '../filters/filter.ts'
import { count } from '../words.ts'
import { isRowOn, levelOf, type RowsProps, type TableRow, toggleRow } from './question.ts'
import { rowName, share } from './words.ts'
import { OUTLINES, PLACES, SIZE } from './world.ts'

const [WIDTH, HEIGHT] = SIZE

/** Radius of a country that is too small for an outline. */
const RADIUS = 4

/** A map whose countries are filters, as the rows of the list are. */
export function CountryMap({ tab, rows, filters, total }: RowsProps) {
  const pointed = useSignal<string | undefined>(undefined)
  const counted = new Map(rows.map((row) => [row[0], row]))
  const most = Math.max(1, ...rows.map(([, [visitors]]) => visitors))
  const wordsOf = ([value, [visitors]]: TableRow): string => {
    const part = total > 0 ? [share.format(visitors / total)] : []
    return [rowName(tab, value), count(visitors), ...part].join(' · ')
  }
  const said = counted.get(pointed.value ?? '') ?? rows.find(([value]) => value !== null)
  const place = (code: string, shape: ComponentChildren) => {
    const row = counted.get(code)
    return row ? (
      <Country
        key={code}
        words={wordsOf(row)}
        level={levelOf(row[1][0], most)}
        isOn={isRowOn(tab, code, filters)}
        href={addressOf(path.value.slice(1), {
          ...Object.fromEntries(parameters.value),
          properties: writeFilters(toggleRow(tab, code, filters))
        })}
        point={() => {
          pointed.value = code
        }}
      >
        {shape}
      </Country>
    ) : (
      <g key={code}>{shape}</g>
    )
  }
  return (
    <section class="map" aria-label="Map of visitors by country">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section and each country have names */}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        {Object.entries(OUTLINES).map(([code, line]) => place(code, <path d={line} />))}
        {Object.entries(PLACES)
          .filter(([code]) => counted.has(code))
          .map(([code, [x, y]]) => place(code, <circle cx={x} cy={y} r={RADIUS} />))}
      </svg>
      <p aria-hidden="true">{said && wordsOf(said)}</p>
    </section>
  )
}

type CountryProps = {
  words: string
  level: number
  isOn: boolean
  href: string
  /** Called when the pointer or the focus is on the country. */
  point: () => void
  children: ComponentChildren
}

/** A country with visitors. */
const Country = ({ words, level, isOn, href, point, children }: CountryProps) => (
  <a
    href={href}
    class={`level-${level}`}
    aria-label={words}
    aria-current={isOn ? 'true' : undefined}
    onPointerEnter={point}
    onFocus={point}
  >
    {children}
  </a>
)
