import { expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { BEGIN, type Node, play, share } from '../../support/player.ts'

const at = (after: number, type: number, data: Node): Node => ({
  type,
  timestamp: BEGIN + after,
  data
})

const box = (
  id: number,
  type: string,
  place: [number, number, number, number],
  rest: Node = {}
): Node => {
  const [x, y, width, height] = place
  return { id, type, x, y, width, height, ...rest }
}

/** A picture of one red pixel. */
const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

it.skipIf(!hasBrowser())('a recording of an app shows its wireframes and screenshots', async () => {
  const style = {
    color: '#0000ff',
    backgroundColor: '#ffff00',
    fontSize: 20,
    horizontalAlign: 'center'
  }
  const wireframes = [
    box(7, 'div', [0, 0, 360, 640], {
      childWireframes: [
        box(8, 'text', [20, 40, 200, 30], { text: 'Seven cakes', style }),
        box(9, 'image', [20, 80, 50, 60], { base64: RED }),
        box(10, 'input', [20, 150, 200, 40], { inputType: 'button', value: 'Buy' }),
        box(11, 'input', [20, 200, 200, 40], {
          inputType: 'checkbox',
          checked: true,
          label: 'Gift'
        }),
        box(12, 'web_view', [20, 250, 200, 100], { url: 'https://shop.example/terms' }),
        box(13, 'hologram', [20, 360, 200, 100])
      ]
    })
  ]
  const address = await share([
    at(0, 4, { href: 'Home', width: 360, height: 640 }),
    at(10, 2, { wireframes, initialOffset: { top: 0, left: 0 } }),
    at(500, 3, { source: 2, type: 7, id: 8, x: 30, y: 50 }),
    at(700, 3, { source: 2, type: 9, id: 8, x: 30, y: 50 }),
    at(1_000, 3, {
      source: 0,
      updates: [
        { parentId: 7, wireframe: box(8, 'text', [20, 40, 200, 30], { text: 'Eight pies', style }) }
      ],
      adds: [
        {
          parentId: 0,
          wireframe: box(20, 'screenshot', [0, 500, 360, 140], {
            base64: `data:image/png;base64,${RED}`
          })
        }
      ],
      removes: [{ parentId: 7, id: 13 }]
    }),
    at(1_500, 5, { tag: 'keyboard', payload: { open: true, height: 200 } }),
    at(2_000, 3, { source: 2, type: 7, id: 0, x: 30, y: 50 })
  ])

  const { tab, recorded, untilEnd } = await play(address)
  await untilEnd()

  const heading = recorded.getByText('Eight pies')
  await heading.waitFor()
  expect(
    await heading.evaluate((node) => {
      const { left, top, width, height } = node.getBoundingClientRect()
      const { color, backgroundColor, fontSize } = Object(globalThis).getComputedStyle(node)
      return { box: [left, top, width, height], color, backgroundColor, fontSize }
    })
  ).toEqual({
    box: [20, 40, 200, 30],
    color: 'rgb(0, 0, 255)',
    backgroundColor: 'rgb(255, 255, 0)',
    fontSize: '20px'
  })
  for (const words of ['Buy', 'Gift', 'https://shop.example/terms', 'Keyboard']) {
    await recorded.getByText(words).waitFor()
  }
  expect(await recorded.getByText('Seven cakes').count()).toBe(0)
  expect(await recorded.getByText('hologram').count()).toBe(0)
  expect(
    await recorded
      .locator('img')
      .evaluateAll((all) =>
        all.map((img) => [img.clientWidth, img.clientHeight, Object(img).naturalWidth])
      )
  ).toEqual([
    [50, 60, 1],
    [360, 140, 1]
  ])
  expect(await tab.isHidden('#status')).toBe(true)
  expect(await tab.locator('#moments li').allTextContents()).toEqual([
    '0:00 Home',
    '0:00 Tap “Seven cakes”',
    '0:02 Tap'
  ])

  await tab.fill('#position', '600')
  await recorded.getByText('Seven cakes').waitFor()
  // What the player does not know is a box with its name.
  await recorded.getByText('hologram').waitFor()
})
