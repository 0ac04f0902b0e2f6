import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawPictures, openPainter, paintPictures } from '../test/support/charts.ts'
import { root } from './environment.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run charts

Redraws the pictures in docs/charts/. Look at each one before you commit it: from then on, a test expects exactly this
picture.`

readCommandLine(USAGE, { options: {} })

const folder = join(root, 'docs/charts')
mkdirSync(folder, { recursive: true })
for (const [name, picture] of [...drawPictures(), ...paintPictures(await openPainter())]) {
  writeFileSync(join(folder, name), picture)
}
