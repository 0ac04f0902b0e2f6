import { describe, expect, it } from 'vitest'
import { splitEvents } from '../../../src/capture/message.ts'

describe('the parts of a large request', () => {
  const event = (bytes: number, index: number) => ({
    uuid: '01a1fc8a-9c75-738f-a5ff-738e5ee9d210',
    event: 'e',
    distinct_id: 'd',
    timestamp: index,
    properties: { pad: 'é'.repeat(bytes / 2) }
  })

  it('hold at most 1 MB or 1,000 events each, in order and without loss', () => {
    const sizes = (bytes: number[]) => {
      const events = bytes.map(event)
      const parts = [...splitEvents(events)]
      expect(parts.flatMap((part) => part.events)).toEqual(events)
      return parts.map((part) => part.events.length)
    }

    expect(sizes(Array(2_500).fill(10))).toEqual([1_000, 1_000, 500])
    expect(sizes([600_000, 300_000, 300_000, 900_000])).toEqual([2, 1, 1])
    expect(sizes([])).toEqual([])
  })
})
