import { AppError } from '../errors.ts'
import { isOneOf, PROPERTY_TYPES, type Property } from '../properties/filter.ts'
import type { Entity } from './forms.ts'
import { MATHS, type MathName } from './maths/table.ts'
import { readProperty, unsupported } from './property.ts'

/**
 * Returns the property whose numbers a math reads; undefined for a math that reads none. A `math_property_type` alone is
 * accepted, because PostHog's clients send it with any math.
 * @throws required and invalid_input, attr the field, for a property that is missing, unknown or not read
 */
export function readMathProperty(
  { at, math_property, math_property_type }: Entity,
  math: MathName
): Property | undefined {
  const isRead = MATHS[math].over === 'numbers'
  if (!math_property) {
    if (isRead) {
      throw new AppError('required', 'This field is required.', `${at}__math_property`)
    }
    return undefined
  }
  if (!isRead) {
    throw new AppError(
      'invalid_input',
      `The math \`${math}\` reads no property. Leave \`math_property\` out, or send a math such as \`sum\`.`,
      `${at}__math_property`
    )
  }
  const type = math_property === '$session_duration' ? 'session' : typeOf(math_property_type)
  if (!isOneOf(PROPERTY_TYPES, type)) {
    throw unsupported('type of property', type, `${at}__math_property_type`)
  }
  return readProperty({ type, key: math_property }, `${at}__math_property`)
}

/** Returns the type of a property by the group in which PostHog's clients list it: `numerical_event_properties` is `event`. */
const typeOf = (group: Entity['math_property_type']): string =>
  group?.replace(/^numerical_|_properties$/g, '') || 'event'
