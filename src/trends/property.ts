import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'
import { isOneOf, PROPERTY_TYPES, type Property } from '../properties/filter.ts'
import { findSessionProperty } from '../properties/session.ts'
import { MATHS, type MathName } from './maths/table.ts'
import type { TrendsNode } from './node-fields.ts'

/**
 * Checks a property: sessions have a fixed list of properties, events and persons may have any.
 * @throws invalid_input
 */
export function readProperty(property: Property, attr: string): Property {
  if (property.key.includes('\0')) {
    throw new AppError(
      'invalid_input',
      'The name of a property must not contain null characters.',
      attr
    )
  }
  if (property.type === 'session' && !findSessionProperty(property.key)) {
    throw unsupported('property of sessions', property.key, attr)
  }
  return property
}

/** Returns the invalid_input error for an unsupported value. */
export const unsupported = (
  what: string,
  value: unknown,
  attr: string,
  supported: readonly string[] = []
) => {
  const list = supported.length > 0 ? ` Supported: ${supported.join(', ')}.` : ''
  return new AppError('invalid_input', `${show(value)} is not a supported ${what}.${list}`, attr)
}

/**
 * Returns the property whose numbers the math of a series reads; undefined for a math that reads
 * none. A `math_property_type` alone is accepted, because PostHog's clients send it with any math.
 * @param at the path of the series
 * @throws required and invalid_input, attr the field, for a property that is missing, unknown or
 * not read
 */
export function readMathProperty(
  { math_property, math_property_type }: TrendsNode['series'][number],
  math: MathName,
  at: string
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

/** `numerical_event_properties`, the group in which clients list a property → `event` */
const typeOf = (group: string | null | undefined): string =>
  group?.replace(/^numerical_|_properties$/g, '') || 'event'
