import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { withLine } from '../../../scripts/local-secrets.ts'

it('replaces every line of a secret, and keeps the other lines', () => {
  const text = 'RECEIPT_KEY=old\nRECEIPT_SECRET=other\n# A note\nexport RECEIPT_KEY = older\n'

  const changed = withLine(text, 'RECEIPT_KEY', 'new')

  expect(parseEnv(changed)).toEqual({ RECEIPT_KEY: 'new', RECEIPT_SECRET: 'other' })
  expect(changed).toContain('# A note\n')
  expect(changed).not.toContain('old')
})

it('appends a line for a secret that has none', () => {
  expect(withLine('', 'RECEIPT_KEY', 'new')).toBe('RECEIPT_KEY=new\n')
  expect(withLine('RECEIPT_SECRET=other', 'RECEIPT_KEY', 'new')).toBe(
    'RECEIPT_SECRET=other\nRECEIPT_KEY=new\n'
  )
})
