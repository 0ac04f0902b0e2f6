import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { drawPictures } from '../../support/charts.ts'

const folder = join(import.meta.dirname, '../../../docs/charts')
const pictures = [...drawPictures()]

describe('the pictures below docs/charts', () => {
  it('are exactly the pictures that are drawn', () => {
    expect(readdirSync(folder).sort()).toEqual(pictures.map(([name]) => name).sort())
  })

  it.each(pictures)('%s is unchanged: `npm run charts` redraws it', (name, svg) => {
    expect(svg).toBe(readFileSync(join(folder, name), 'utf8'))
  })

  it.each(pictures)('%s is text and shapes, and loads nothing', (_, svg) => {
    const names = [...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, name = '']) => name)
    const allowed = [
      ...['svg', 'title', 'desc', 'defs', 'pattern', 'g', 'text'],
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
