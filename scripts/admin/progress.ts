/** Shows progress in one line of a terminal; an empty text clears the line. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r${text}\x1b[K`)
  }
}
