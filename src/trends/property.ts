import { AppError } from '../errors.ts'
import { findSessionProperty } from '../sessions/properties.ts'
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

/** invalid_input: what is asked for is nothing that there is. */
export const unsupported = (what: string, value: unknown, attr: string) =>
  new AppError('invalid_input', `${show(value)} is not a supported ${what}.`, attr)

/** A value as a refusal shows it. */
export const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100)
