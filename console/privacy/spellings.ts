const exactly = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '\\$&')

/**
 * Returns a pattern of all spellings of an e-mail address: with many providers, dots before the `@` and a
 * tag such as `+news` make no difference. Undefined for anything else than an address.
 */
export function spellingsOf(address: string): string | undefined {
  const [, name = '', domain = ''] = /^([^@\s]+)@([^@\s]+)$/.exec(address) ?? []
  const letters = [...name.replace(/\+.*$/, '').replaceAll('.', '')].map(exactly)
  return letters.length > 0
    ? `(?i)^${letters.join('\\.?')}(\\+[^@]*)?@${exactly(domain)}$`
    : undefined
}
