/** A command of a guide. */
export type PrintedCommand = {
  command: string
  /** Matches what the guide prints below the command, where `…` stands for anything. */
  answer: RegExp
}

/** Returns the blocks of shell commands of a guide. */
export const blocksOf = (guide: string): string[] =>
  [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block.trim())

/**
 * Returns each command of a block with the answer below it, in lines that begin with `# `. A command
 * ends with its line, unless a quotation is open there, or the line ends with a backslash.
 */
export function commandsOf(block: string): PrintedCommand[] {
  const found: { command: string; answer: string[] }[] = []
  let open = ''
  for (const line of block.split('\n')) {
    const last = found.at(-1)
    if (open === '' && line.startsWith('# ') && last) {
      last.answer.push(line.slice('# '.length))
      continue
    }
    const text = open + line
    const isOpen = text.endsWith('\\') || text.split("'").length % 2 === 0
    open = isOpen ? `${text}\n` : ''
    if (!isOpen) {
      found.push({ command: text, answer: [] })
    }
  }
  return found.map(({ command, answer }) => ({ command, answer: patternOf(answer.join('\n')) }))
}

/** A line of an answer that ends with a comma goes on in the next one. Any time is as good as the printed one. */
function patternOf(text: string): RegExp {
  const whole = text.replaceAll(/,\n +/g, ',').replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '…')
  const parts = whole.split('…').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}`, 's')
}
