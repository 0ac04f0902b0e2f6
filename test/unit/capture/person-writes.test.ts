import { describe, expect, it } from 'vitest'
import { writesOf } from '../../../src/capture/person-writes.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import type { Write } from '../../../src/persons/last-write.ts'

describe('the writes of an event to its person', () => {
  const device = {
    $browser: 'Firefox',
    $current_url: 'https://a.test/',
    utm_source: 'news',
    gclid: null
  }
  const stamp = { at: 1, id: 'id' }
  const written = (event: string, properties: JsonObject) =>
    Object.fromEntries(
      writesOf({ event, uuid: 'id', properties }, stamp).map((write: Write) => [
        write.key,
        write.kind
      ])
    )

  it('set the campaign and seed the device properties for an ordinary event', () => {
    expect(written('$pageview', device)).toEqual({
      $creator_event_uuid: 'seed',
      $browser: 'seed',
      $initial_browser: 'seed',
      $current_url: 'seed',
      $initial_current_url: 'seed',
      utm_source: 'set',
      $initial_utm_source: 'seed',
      gclid: 'set'
    })
  })

  it('set the device properties for an event about the person', () => {
    expect(written('$identify', device)).toMatchObject({
      $browser: 'set',
      $current_url: 'set',
      utm_source: 'set'
    })
  })

  it('prefer the event’s own $set to the device properties', () => {
    const said = { $set: { $browser: 'Lynx' }, $set_once: { $initial_browser: 'Mosaic' } }

    expect(
      writesOf({ event: '$set', uuid: 'id', properties: { ...device, ...said } }, stamp).filter(
        ({ key }) => /browser$/.test(key)
      )
    ).toEqual([
      { kind: 'once', key: '$initial_browser', value: 'Mosaic', stamp },
      { kind: 'set', key: '$browser', value: 'Lynx', stamp }
    ])
  })

  it.each([['$exception'], ['$groupidentify'], ['$$heatmap']])(
    'only create the person for %s',
    (event) => {
      expect(written(event, { ...device, $set: { plan: 'pro' } })).toEqual({
        $creator_event_uuid: 'seed'
      })
    }
  )

  it('are empty without person processing', () => {
    expect(
      written('$pageview', { ...device, $process_person_profile: false, $set: { plan: 'pro' } })
    ).toEqual({})
  })

  it('leave out a server’s operating system, and otherwise contain its name', () => {
    expect(written('seen', { $os: 'Linux', $is_server: true })).toEqual({
      $creator_event_uuid: 'seed'
    })
    expect(written('$set', { $os_name: 'Linux' })).toMatchObject({
      $os: 'set',
      $initial_os: 'seed'
    })
  })

  it('follow $unset as a list and as an object', () => {
    expect(written('$set', { $unset: ['a', 1, 'b'] })).toMatchObject({ a: 'unset', b: 'unset' })
    expect(written('$set', { $unset: { a: null } })).toMatchObject({ a: 'unset' })
  })
})
