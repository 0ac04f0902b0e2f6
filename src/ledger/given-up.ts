import { createObject } from '../bucket.ts'

/**
 * Where the ledger notes its damaged or missing objects that an operator has given up. Each has an
 * empty object, whose key ends with the key of the given-up one, so that no damage of a content
 * changes the list.
 */
export const GIVEN_UP_PREFIX = 'ledger/skipped/'

/** Notes that an operator has given up a damaged or missing object of the ledger. */
export async function noteGivenUp(bucket: R2Bucket, key: string): Promise<void> {
  await createObject(bucket, `${GIVEN_UP_PREFIX}${key}`, '')
}

/** Returns the keys of the objects that an operator has given up. */
export async function readGivenUp(bucket: R2Bucket): Promise<ReadonlySet<string>> {
  const keys: string[] = []
  for (let options: R2ListOptions | undefined = { prefix: GIVEN_UP_PREFIX }; options; ) {
    const page: R2Objects = await bucket.list(options)
    keys.push(...page.objects.map(({ key }) => key.slice(GIVEN_UP_PREFIX.length)))
    options = page.truncated ? { prefix: GIVEN_UP_PREFIX, cursor: page.cursor } : undefined
  }
  return new Set(keys)
}
