import { setParameters } from '../address.ts'
import { Icon } from '../icons.tsx'
import { count, durationOf } from '../words.ts'
import { changeOf, type MetricItem, type MetricKey } from './question.ts'

/** The five numbers in their order, and what they are called. */
export const METRICS: Record<MetricKey, string> = {
  visitors: 'Visitors',
  sessions: 'Visits',
  views: 'Page views',
  'bounce rate': 'Bounce rate',
  'session duration': 'Visit duration'
}

export const METRIC_KEYS = Object.keys(METRICS) as MetricKey[]

/** Counts from here on are short: `124.6K`. */
const LONG = 100_000

const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const decimal = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1
})

/** `21,477` · `124.6K` · `38.2%` · `3m 42s` · `–` */
export function metricText(key: MetricKey, value: number | null): string {
  if (value === null) {
    return '–'
  }
  if (key === 'bounce rate') {
    return `${decimal.format(value)}%`
  }
  if (key === 'session duration') {
    return durationOf(value)
  }
  return value < LONG ? count(value) : short.format(value)
}

/** The change of a metric, with an arrow: green if it is good. */
function ChangeMark({ item }: { item: MetricItem }) {
  const change = changeOf(item)
  if (!change) {
    return null
  }
  const { amount, isRise, isPoints, isGood } = change
  if (amount === 0) {
    return <span class="chg">no change</span>
  }
  return (
    <span class={`chg ${isGood ? 'good' : 'bad'}`}>
      <Icon name={isRise ? 'rise' : 'fall'} small />
      <span class="vh">{isRise ? 'up' : 'down'} </span>
      {decimal.format(amount)}
      {isPoints ? ' pt' : '%'}
    </span>
  )
}

type MetricsProps = {
  items: readonly MetricItem[] | undefined
  pressed: MetricKey
  /** What they are compared with, in words. */
  label: string
}

/** The numbers; the pressed one drives the chart. */
export const Metrics = ({ items, pressed, label }: MetricsProps) => (
  <fieldset class="metrics" aria-label={label}>
    {METRIC_KEYS.map((key) => {
      const item = items?.find((one) => one.key === key)
      return (
        <button
          key={key}
          type="button"
          class="metric"
          aria-pressed={key === pressed}
          onClick={() => setParameters({ metric: key === 'visitors' ? undefined : key })}
        >
          <span class="l">{METRICS[key]}</span>
          <span class="v">
            <span
              title={item?.value == null ? undefined : String(Math.round(item.value * 10) / 10)}
            >
              {item ? metricText(key, item.value) : ' '}
            </span>
            {item && <ChangeMark item={item} />}
          </span>
        </button>
      )
    })}
  </fieldset>
)
