import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Resvg } from '@resvg/resvg-wasm'
import { describe, expect, it, vi } from 'vitest'
import { drawChart } from '../../../src/charts/draw.ts'
import { withSimpleEmoji } from '../../../src/charts/raster.ts'
import { widthOf } from '../../../src/charts/text.ts'
import { emptyChart } from '../../../src/insights/chart.ts'
import { drawPictures, openPainter, paintPictures, REGULAR } from '../../support/charts.ts'
import { sizeOf } from '../../support/png.ts'

const folder = join(import.meta.dirname, '../../../docs/charts')
const pictures = [...drawPictures()]
const instantiate = vi.spyOn(WebAssembly, 'instantiate')
const paint = await openPainter()
const [instantiated] = instantiate.mock.results
instantiate.mockRestore()
if (!instantiated) {
  throw new Error('The renderer started without WebAssembly.instantiate; its memory is unknown.')
}
/** The started renderer. Node's types lack the form of `instantiate` that returns a module and an instance. */
const started: { instance: WebAssembly.Instance } = await instantiated.value
const images = [...paintPictures(paint)]

/** Maximum bytes per pixel of a chart: 150 kB at 600 × 320. */
const BYTES_PER_PIXEL = 150_000 / (600 * 320)

/** Returns width and height of the chart that an image shows. */
function chartSize(name: string): [number, number] {
  const [, svg = ''] = pictures.find(([drawn]) => drawn === name.replace('.png', '.svg')) ?? []
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? []
  return [Number(width), Number(height)]
}

describe('the pictures below docs/charts', () => {
  it('are exactly the pictures that `npm run charts` draws', () => {
    const names = [...pictures, ...images].map(([name]) => name)

    expect(readdirSync(folder).sort()).toEqual(names.sort())
  })

  it.each(pictures)('%s is unchanged: `npm run charts` redraws it', (name, svg) => {
    expect(svg).toBe(readFileSync(join(folder, name), 'utf8'))
  })

  it.each(images)('%s is unchanged as an image: `npm run charts` redraws it', (name, png) => {
    expect(readFileSync(join(folder, name)).equals(png)).toBe(true)
  })

  it.each(images)(
    '%s is twice as wide and as high as its chart, and has few bytes',
    (name, png) => {
      const [width, height] = chartSize(name)

      expect(sizeOf(png)).toEqual([2 * width, 2 * height])
      expect(png.byteLength).toBeLessThan(BYTES_PER_PIXEL * width * height)
    }
  )

  it.each(pictures)('%s is text and shapes, and loads nothing', (_, svg) => {
    const names = [...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, name = '']) => name)
    const allowed = [
      ...['svg', 'title', 'desc', 'defs', 'pattern', 'g', 'text', 'tspan'],
      ...['rect', 'line', 'path', 'polygon', 'circle']
    ]

    expect(names.filter((name) => !allowed.includes(name))).toEqual([])
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|data:|@import|href/)
  })

  it.each(pictures)('%s has a description for people who cannot see it', (_, svg) => {
    expect(svg).toMatch(/role="img" aria-labelledby="chart-title chart-description"/)
    expect(svg).toMatch(/<title id="chart-title">[^<]{4,}<\/title>/)
    expect(svg).toMatch(/<desc id="chart-description">[^<]{20,}<\/desc>/)
  })
})

describe('an image', () => {
  it('has at most about 4 million pixels', () => {
    const svg = drawChart(emptyChart('Large'), { width: 2_000, height: 1_600 })
    const [width, height] = sizeOf(paint(svg))

    expect(width * height).toBeLessThan(4_010_000)
    expect(width / height).toBeCloseTo(1.25, 2)
  })

  it('takes less than 64 MB to draw, however large the chart is', () => {
    paint(drawChart(emptyChart('Large'), { width: 2_000, height: 2_000 }))

    const memory = started.instance.exports.memory as WebAssembly.Memory
    expect(memory.buffer.byteLength).toBeGreaterThan(16_000_000)
    expect(memory.buffer.byteLength).toBeLessThan(64_000_000)
  })
})

/** Returns the width of a text in the font of images, in pixels at a font size of 100. */
function measure(text: string): number {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="200"><text x="0" y="100" font-size="100">.${text}.</text></svg>`
  const drawing = new Resvg(svg, {
    font: { fontBuffers: [REGULAR], defaultFontFamily: 'Arimo', sansSerifFamily: 'Arimo' }
  })
  return (drawing.getBBox()?.width ?? 0) - 27.8
}

describe('the estimated width', () => {
  it.each([
    'Mobile Safari and a longer name',
    'ÆØÅ straße œuvre Łódź',
    'Екатеринбург и Нижний Новгород',
    'ЩЖЮМФ щжюмф',
    'Αθήνα και Θεσσαλονίκη',
    'תל אביב וירושלים',
    'Hà Nội, Đà Nẵng',
    '“quoted” – 12 · 3'
  ])('of %s is not below the true one, and at most a quarter above', (text) => {
    const width = measure(text)

    expect(widthOf(text, 100)).toBeGreaterThanOrEqual(width)
    expect(widthOf(text, 100)).toBeLessThan(width * 1.25)
  })
})

it.each(['👩‍👩‍👧‍👦 Family', '🇩🇪🇫🇷 Europe', '❤️ 1️⃣ 👍🏽', 'القاهرة', 'กรุงเทพ', '東京'])(
  'the boxes for %s in an image do not reach beyond the estimated width',
  (text) => {
    expect(widthOf(text, 100)).toBeGreaterThanOrEqual(measure(withSimpleEmoji(text)))
  }
)
