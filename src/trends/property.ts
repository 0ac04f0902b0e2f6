import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'
import type { Property } from '../properties/filter.ts'
import { findSessionProperty } from '../properties/session.ts'

/** Checks a property: sessions have a fixed list of properties, events and persons may have any. @throws invalid_input */
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

/** Returns the invalid_input error for an unsupported value; it lists the supported values, if given. */
export const unsupported = (
  what: string,
  value: unknown,
  attr: string,
  supported: readonly string[] = []
) => {
  const list = supported.length > 0 ? ` Supported: ${supported.join(', ')}.` : ''
  return new AppError('invalid_input', `${show(value)} is not a supported ${what}.${list}`, attr)
}
