import { expect, it } from 'vitest'
import { explainPort } from '../../../scripts/config.ts'

const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' })

it.each([
  [8787, 8788],
  [65_534, 65_535],
  [65_535, 65_534]
])('suggests another valid port when %i is in use', (port, other) => {
  expect(explainPort(taken, port, 'npm run dev').message).toBe(
    `Port ${port} is in use. Choose another: PORT=${other} npm run dev`
  )
})

it('says why it cannot listen on a port that is not in use', () => {
  const error = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })

  expect(explainPort(error, 80, 'npm start').message).toBe(
    'Cannot listen on port 80: Error: listen EACCES'
  )
})
