import { describe, expect, it } from 'vitest'
import { splitEvents } from '../../../src/capture/message.ts'

describe('the parts of a large request', () => {
  const event = (bytes: number) => ({
    uuid: '01a1fc8a-9c75-738f-a5ff-738e5ee9d210',
    event: 'e',
    distinct_id: 'd',
    timestamp: 0,
    properties: { pad: 'é'.repeat(bytes / 2) }
  })

  it('hold at most 1 MB or 1,000 events each, in order and without loss', () => {
    const sizes = (events: ReturnType<typeof event>[]) =>
      [...splitEvents(events)].map((part) => part.events.length)

    expect(sizes(Array.from({ length: 2_500 }, () => event(10)))).toEqual([1_000, 1_000, 500])
    expect(sizes([event(600_000), event(300_000), event(300_000), event(900_000)])).toEqual([
      2, 1, 1
    ])
    expect(sizes([])).toEqual([])
  })
})
