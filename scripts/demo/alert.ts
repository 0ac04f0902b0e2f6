import { z } from 'zod'
import type { CallApi } from './dashboard.ts'

/** Tells when a day has at least five sign-ups fewer than the same weekday a week before. */
const ALERT = {
  name: 'Fewer sign-ups than a week ago',
  target_value: 'team@harbour.example',
  condition: { type: 'relative_decrease', compare_to: 'same_weekday' },
  threshold: { configuration: { type: 'absolute', bounds: { upper: 4 } } },
  calculation_interval: 'daily'
}

const Named = z.object({
  results: z.array(z.object({ id: z.union([z.int(), z.string()]), name: z.string().nullable() }))
})
const Preview = z.object({
  fired: z.array(z.object({ at: z.iso.datetime(), description: z.string() }))
})

/**
 * Makes the demo's alert on an insight of its dashboard, unless it is there. @returns when it would
 * have fired, a line each
 */
export async function makeAlert(call: CallApi, insightName: string): Promise<string[]> {
  const find = async (path: string, name: string) =>
    Named.parse(await call('GET', path)).results.find((one) => one.name === name)?.id
  const insight = await find(`insights/?search=${encodeURIComponent(insightName)}`, insightName)
  if (!(await find('alerts/?limit=1000', ALERT.name))) {
    await call('POST', 'alerts/', { ...ALERT, insight })
  }
  const { fired } = Preview.parse(await call('POST', 'alerts/preview/', { ...ALERT, insight }))
  return fired.map(({ at, description }) => `${at.slice(0, 10)}: ${description}`)
}
