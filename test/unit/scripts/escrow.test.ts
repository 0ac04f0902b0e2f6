import { expect, it } from 'vitest'
import { decryptSecrets, encryptSecrets } from '../../../scripts/escrow.ts'

const SECRETS = { RECEIPT_SECRET: 's'.repeat(64), RECEIPT_KEY: 'k'.repeat(64) }
const passphrase = 'four words in ä row'

const text = encryptSecrets(SECRETS, {
  deployment: 'shop',
  passphrase,
  now: new Date('2026-11-20T10:00:00Z')
})
const json: Record<string, never> & { header: object } = JSON.parse(text)

it('gives the secrets back, with the passphrase in any Unicode form', () => {
  expect(decryptSecrets(text, passphrase.normalize('NFD'))).toEqual(SECRETS)
})

it('has a header with its version, and no secret in plain text', () => {
  expect(json.header).toMatchObject({
    format: 'edge-analytics escrow',
    version: 1,
    deployment: 'shop',
    created_at: '2026-11-20T10:00:00.000Z'
  })
  for (const secret of [...Object.values(SECRETS), passphrase]) {
    expect(text).not.toContain(secret)
  }
})

const WRONG = 'The passphrase is wrong, or the escrow file is damaged.'
const NO_ESCROW = 'This is not an escrow file, or it is damaged.'

it.each([
  ['with another passphrase', text, 'other words in a row', WRONG],
  [
    'whose header was changed',
    JSON.stringify({ ...json, header: { ...json.header, deployment: 'blog' } }),
    passphrase,
    WRONG
  ],
  [
    'with a shortened tag',
    JSON.stringify({ ...json, tag: Buffer.from('abcd').toString('base64') }),
    passphrase,
    NO_ESCROW
  ],
  [
    'whose key would cost much memory',
    text.replace('"N": 131072', '"N": 1073741824'),
    passphrase,
    NO_ESCROW
  ],
  ['that is cut off', text.slice(0, 100), passphrase, NO_ESCROW],
  ['that is empty', '', passphrase, NO_ESCROW],
  [
    'of a later version',
    JSON.stringify({ ...json, header: { ...json.header, version: 2 } }),
    passphrase,
    'The escrow file has the version 2, which this version of Edge Analytics cannot read.'
  ]
])('refuses a file %s', (_, content, phrase, reason) => {
  expect(() => decryptSecrets(content, phrase)).toThrow(reason)
})
