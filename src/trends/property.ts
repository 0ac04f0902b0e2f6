import { AppError } from '../errors.ts'
import { findSessionProperty } from '../properties/session.ts'
import type { Property } from './query.ts'

/** Sessions have certain properties, events and persons any. @throws invalid_input */
export function readProperty(property: Property, attr: string): Property {
  if (property.key.includes('\0')) {
    throw new AppError('invalid_input', 'The name of a property has no null characters.', attr)
  }
  if (property.type === 'session' && !findSessionProperty(property.key)) {
    throw unsupported('property of sessions', property.key, attr)
  }
  return property
}

/** An invalid_input error for a value that is none of the supported ones, which it lists. */
export const unsupported = (
  what: string,
  value: unknown,
  attr: string,
  supported: readonly string[] = []
) => {
  const list = supported.length > 0 ? ` Supported: ${supported.join(', ')}.` : ''
  return new AppError('invalid_input', `${show(value)} is not a supported ${what}.${list}`, attr)
}

/** A value as a refusal shows it. */
export const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100)
