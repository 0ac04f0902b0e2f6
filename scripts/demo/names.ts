import { FIRST_NAMES, LAST_NAMES } from './people.ts'

/** Returns the name of a person. No name repeats before all pairs are used, because 1597 is coprime to their number. */
export function nameOf(index: number): [first: string, last: string] {
  const pair = (index * 1597) % (FIRST_NAMES.length * LAST_NAMES.length)
  return [
    FIRST_NAMES[pair % FIRST_NAMES.length] ?? '',
    LAST_NAMES[Math.floor(pair / FIRST_NAMES.length)] ?? ''
  ]
}

/** Converts a name for an e-mail address: lower case; only ASCII letters, dots and hyphens. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ø', 'o')
    .normalize('NFD')
    .replaceAll(/[^a-z.-]/g, '')
