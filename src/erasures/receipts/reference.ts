import { describe } from '../../http/openapi.ts'
import { Receipt, ReceiptKeys, Verification } from './schemas.ts'

export const RETRIEVE = describe({
  id: 'persons_retrieve_deletion_receipt',
  tag: 'Persons',
  summary: 'Retrieve the receipt of a deletion',
  description:
    'The receipt of a completed deletion task, as it was signed. With `format=html`, it is a page in one file that can be saved, printed and sent: opened in a browser, it verifies its own signature.',
  answers: { 200: { text: 'The receipt.', schema: Receipt, type: 'text/html' } }
})

export const VERIFY = describe({
  id: 'persons_verify_deletion_receipt',
  tag: 'Persons',
  summary: 'Verify the receipt of a deletion',
  description:
    'Send a receipt of this project, unchanged. It may be about a deleted person, a deletion of events or a suppression. Receipts can also be verified without this service: `scripts/verify-receipt.mjs` needs the receipt and the published keys.',
  answers: { 200: { text: 'Whether the receipt is genuine.', schema: Verification } }
})

export const KEYS = describe({
  id: 'receipt_keys',
  tag: 'Service',
  summary: 'List the public keys of receipts',
  description:
    'The current key and all keys that have signed receipts, oldest first, as a JSON Web Key Set. A key stays listed after it is replaced, so that its receipts can be verified.',
  answers: { 200: { text: 'The keys.', schema: ReceiptKeys } }
})
