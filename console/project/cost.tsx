import { useLoaded } from '../loaded.ts'
import { Fault, Skeleton } from '../parts.tsx'
import { count } from '../words.ts'
import { countEvents } from './api.ts'
import {
  type BillItem,
  billOf,
  CHARTS_A_DAY,
  COUNTED,
  DAYS,
  EVENTS_OF_REQUEST,
  MONTHS_KEPT,
  PRICES_OF,
  totalOf
} from './costs.ts'
import { Section } from './section.tsx'

const dollars = (amount: number): string =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' }).format(amount)

/** Rounds what is used: `14.8`, `2,100,000`. */
const used = (amount: number): string =>
  count(amount < 100 ? Math.round(amount * 10) / 10 : Math.round(amount))

/** The units of the items that have one. */
const UNITS: Record<string, string> = { 'CPU time': 'ms', storage: 'GB' }

const unitOf = (name: string): string => (UNITS[name] ? ` ${UNITS[name]}` : '')

/** An estimate of what the service costs in a month, from the events of the last 30 days. */
export function Cost() {
  const { data: events, error, reload } = useLoaded('events of 30 days', countEvents)
  const bill = events === undefined ? undefined : billOf(events)
  return (
    <>
      <Section
        title="Estimate of a month"
        words="Computed from counted events and list prices. It is no bill: Cloudflare’s is."
      >
        {error && <Fault error={error} retry={reload} />}
        {!bill && !error && <Skeleton rows={6} />}
        {bill && events !== undefined && (
          <>
            <div class="card figures">
              <div>
                <span class="sec">About</span>
                <b>{dollars(totalOf(bill))}</b>
                <span class="mut">a month, on Cloudflare</span>
              </div>
              <div>
                <span class="sec">Counted</span>
                <b>{count(events)}</b>
                <span class="mut">events in the last {DAYS} days</span>
              </div>
            </div>
            <div class="card">
              <table class="table">
                <thead>
                  <tr>
                    <th>Item</th>
                    <th class="num">Used</th>
                    <th class="num wide-only">Included</th>
                    <th class="num">US dollars</th>
                  </tr>
                </thead>
                <tbody>
                  {bill.map((item) => (
                    <BillRow key={item.name} item={item} />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </Section>
      <Section title="How it is computed">
        <ul class="card formula sec">
          <li>
            Each item is (used − included) × list price of Workers Paid, {PRICES_OF}, and 0 if less
            is used than is included. Other Workers and projects of the account share what is
            included.
          </li>
          <li>
            Per event: {used(COUNTED.written)} rows written, {used(COUNTED.read)} rows read,{' '}
            {count(COUNTED.bytes)} bytes stored, columns included, as counted with the events of the
            demo. A chart reads {used(COUNTED.readOfChart * 1_000)} rows per 1,000 events in its
            range.
          </li>
          <li>
            Assumed: an SDK sends {EVENTS_OF_REQUEST} events in a request, {CHARTS_A_DAY} charts of{' '}
            {DAYS} days are opened each day, and events are kept for {MONTHS_KEPT} months.
          </li>
          <li>
            Recordings are not counted: their snapshots are in R2, which has prices of its own.
          </li>
        </ul>
      </Section>
    </>
  )
}

const BillRow = ({ item: { name, used: amount, free, dollars: price } }: { item: BillItem }) => (
  <tr>
    <td>{name.charAt(0).toUpperCase() + name.slice(1)}</td>
    <td class="num sec">{free === 0 ? '–' : `${used(amount)}${unitOf(name)}`}</td>
    <td class="num mut wide-only">{free === 0 ? '–' : `${used(free)}${unitOf(name)}`}</td>
    <td class="num strong">{dollars(price)}</td>
  </tr>
)
