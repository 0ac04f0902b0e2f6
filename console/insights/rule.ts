/** What an alert compares, in the fields of the API. */
export type ApiRule = {
  condition: {
    type: 'absolute_value' | 'relative_increase' | 'relative_decrease' | 'no_data'
    compare_to: 'previous_interval' | 'same_weekday'
  }
  threshold: {
    configuration: {
      type: 'absolute' | 'percentage'
      bounds: { lower: number | null; upper: number | null }
    }
  }
}

export const WHENS = [
  ['below', 'is below'],
  ['above', 'is above'],
  ['falls', 'falls by more than'],
  ['rises', 'rises by more than'],
  ['none', 'has no events']
] as const

/** What the form asks of a rule. */
export type Rule = {
  when: (typeof WHENS)[number][0]
  /** The bound; of a percentage, in percent. */
  amount: number
  isPercentage: boolean
  compareTo: ApiRule['condition']['compare_to']
}

/** A fall by a third. */
export const NEW_RULE: Rule = {
  when: 'falls',
  amount: 33,
  isPercentage: true,
  compareTo: 'previous_interval'
}

const TYPES = {
  below: 'absolute_value',
  above: 'absolute_value',
  falls: 'relative_decrease',
  rises: 'relative_increase',
  none: 'no_data'
} as const

export const isChange = ({ when }: Rule): boolean => when === 'falls' || when === 'rises'

/** Returns the fields of a rule. */
export function toRule(rule: Rule): ApiRule {
  const { when, amount, compareTo } = rule
  const isPercentage = isChange(rule) && rule.isPercentage
  const bound = isPercentage ? amount / 100 : amount
  return {
    condition: {
      type: TYPES[when],
      compare_to: isChange(rule) ? compareTo : 'previous_interval'
    },
    threshold: {
      configuration: {
        type: isPercentage ? 'percentage' : 'absolute',
        bounds: {
          lower: when === 'below' ? bound : null,
          upper: when === 'below' || when === 'none' ? null : bound
        }
      }
    }
  }
}

/** Reads a rule of the API into the form; undefined for one that the form has no fields for. */
export function fromRule({ condition, threshold }: ApiRule): Rule | undefined {
  const { type, bounds } = threshold.configuration
  const whens = WHENS.map(([when]) => when).filter((when) => TYPES[when] === condition.type)
  const when = whens.find((one) => one !== (bounds.lower === null ? 'below' : 'above'))
  const bound = bounds.lower ?? bounds.upper
  const isPercentage = type === 'percentage'
  if (!when || (bounds.lower !== null && (bounds.upper !== null || when !== 'below'))) {
    return undefined
  }
  return {
    when,
    // Fractions such as 0.07 are not exact: 0.07 * 100 is 7.000000000000001.
    amount: isPercentage ? Number(((bound ?? 0) * 100).toPrecision(12)) : (bound ?? 0),
    isPercentage: isPercentage || !condition.type.startsWith('relative'),
    compareTo: condition.compare_to
  }
}

/** Writes a rule in words: `falls by more than 33%`. */
export function describeRule(rule: Rule): string {
  const words = WHENS.find(([when]) => when === rule.when)?.[1] ?? ''
  const unit = isChange(rule) && rule.isPercentage ? '%' : ''
  const amount =
    rule.when === 'none' ? '' : ` ${new Intl.NumberFormat().format(rule.amount)}${unit}`
  const week = isChange(rule) && rule.compareTo === 'same_weekday' ? ' from a week before' : ''
  return words + amount + week
}
