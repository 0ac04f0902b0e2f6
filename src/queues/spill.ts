/**
 * Reads the setting `SPILL`: whether the queues lose their messages when the service stops, so that
 * what is accepted has to be in R2 before it is acknowledged. @throws for anything but "" and "all"
 */
export function readSpill(text: string): boolean {
  if (text !== '' && text !== 'all') {
    throw new Error(`SPILL must be empty or "all"; got "${text}".`)
  }
  return text === 'all'
}
