/**
 * Longest number that is compared, significant digits: `toPrecision` gives no more. A longer number
 * counts as inexact.
 */
const MAX_DIGITS = 100

/**
 * Whether a double equals the number in a text when written in its shortest form or with as many
 * digits as the text.
 */
export function isExact(text: string, value: number): boolean {
  const sent = decimalOf(text)
  if (value === 0) {
    return sent.digits === ''
  }
  if (!Number.isFinite(value) || sent.digits.length > MAX_DIGITS) {
    return false
  }
  // The shortest text of a double may differ from the nearest decimal with as many digits: accept
  // either.
  return [String(value), value.toPrecision(sent.digits.length)].some((written) => {
    const kept = decimalOf(written)
    return kept.digits === sent.digits && kept.exponent === sent.exponent
  })
}

/**
 * Splits a number into its significant digits and a power of ten, without the sign: `-12.50e3` →
 * 125 × 10^2.
 */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const all = (whole + fraction).replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return { digits, exponent: Number(exponent) - fraction.length + all.length - digits.length }
}
