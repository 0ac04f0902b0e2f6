/** Computes a formula over the series A, B, C… for their values in one bucket. */
export type Formula = (values: readonly number[]) => number

const MAX_LENGTH = 1_000
/** Deepest nesting of parentheses, signs and powers; each level is a few calls on the stack. */
const MAX_DEPTH = 100

/**
 * Reads a formula such as `(A + 2 * B) ^ 2 / C`. Letters are series. `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`,
 * and `-A ^ 2` is `-(A ^ 2)`. A division by zero is 0, as is a result that is not a number; a
 * result that is too large is infinite.
 * @param series number of series
 * @throws FormulaError that names the part that cannot be read
 */
export function readFormula(text: string, series: number): Formula {
  if (text.length > MAX_LENGTH) {
    throw new FormulaError(`A formula has at most ${MAX_LENGTH} characters.`)
  }
  const reader = new Reader(text, series)
  const formula = reader.sum(0)
  reader.end()
  return (values) => {
    const value = formula(values)
    return Number.isNaN(value) ? 0 : value
  }
}

export class FormulaError extends Error {}

class Reader {
  readonly #tokens: string[]
  readonly #series: number
  #at = 0

  constructor(text: string, series: number) {
    this.#series = series
    const found = text.match(/\d+(\.\d+)?|\.\d+|\S/g)
    if (!found) {
      throw new FormulaError('A formula cannot be empty.')
    }
    this.#tokens = found
  }

  end(): void {
    if (this.#at < this.#tokens.length) {
      throw this.#unexpected()
    }
  }

  sum(depth: number): Formula {
    let left = this.#product(depth)
    for (;;) {
      const operator = this.#take('+', '-')
      if (!operator) {
        return left
      }
      const [a, b] = [left, this.#product(depth)]
      left =
        operator === '+' ? (values) => a(values) + b(values) : (values) => a(values) - b(values)
    }
  }

  #product(depth: number): Formula {
    let left = this.#signed(depth)
    for (;;) {
      const operator = this.#take('*', '/')
      if (!operator) {
        return left
      }
      const [a, b] = [left, this.#signed(depth)]
      left =
        operator === '*'
          ? (values) => a(values) * b(values)
          : (values) => divide(a(values), b(values))
    }
  }

  #signed(depth: number): Formula {
    if (depth > MAX_DEPTH) {
      throw new FormulaError(`A formula is at most ${MAX_DEPTH} levels deep.`)
    }
    const sign = this.#take('-', '+')
    if (!sign) {
      return this.#power(depth)
    }
    const value = this.#signed(depth + 1)
    return sign === '-' ? (values) => -value(values) : value
  }

  #power(depth: number): Formula {
    const base = this.#atom(depth)
    if (!this.#take('^')) {
      return base
    }
    const exponent = this.#signed(depth + 1)
    return (values) => power(base(values), exponent(values))
  }

  #atom(depth: number): Formula {
    if (this.#take('(')) {
      const inner = this.sum(depth + 1)
      if (!this.#take(')')) {
        throw this.#unexpected()
      }
      return inner
    }
    const token = this.#tokens[this.#at] ?? ''
    if (/^[\d.]/.test(token) && token !== '.') {
      this.#at += 1
      return () => Number(token)
    }
    if (!/^[a-z]$/i.test(token)) {
      throw this.#unexpected()
    }
    this.#at += 1
    const letter = token.toUpperCase()
    const index = letter.charCodeAt(0) - 'A'.charCodeAt(0)
    if (index >= this.#series) {
      throw new FormulaError(`There is no series ${letter}.`)
    }
    return (values) => values[index] ?? 0
  }

  #take(...operators: string[]): string | undefined {
    const token = this.#tokens[this.#at]
    if (token === undefined || !operators.includes(token)) {
      return undefined
    }
    this.#at += 1
    return token
  }

  #unexpected(): FormulaError {
    const token = this.#tokens[this.#at]
    return new FormulaError(
      token === undefined
        ? 'The formula ends too early.'
        : `"${token}" is not expected in the formula.`
    )
  }
}

const divide = (a: number, b: number): number => (b === 0 ? 0 : a / b)

const power = (a: number, b: number): number => (a === 0 && b < 0 ? 0 : a ** b)
