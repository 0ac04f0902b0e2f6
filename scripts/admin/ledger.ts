import { GENESIS, headOf, type Link } from '../../src/ledger/entry.ts'
import { readAfter } from '../../src/ledger/ledger.ts'
import { command, Nothing } from './command.ts'

/** Entries read at once. */
const READ_AT_ONCE = 100

export const ledger = {
  export: command({
    script: 'ledger',
    isLong: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run({ bucket }) {
      const links: Link[] = []
      for (let head = GENESIS; ; ) {
        const entries = await readAfter(await bucket(), head, READ_AT_ONCE)
        links.push(...entries.map(({ link }) => link))
        const last = entries.at(-1)
        if (!last) {
          return { links }
        }
        head = await headOf(last)
      }
    }
  })
}
