import { escapeHtml } from '../html/escape.ts'

export type Attributes = Record<string, string | number | undefined>

/** Returns an element as SVG text; numbers are written with two decimals at most. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === 'number' ? round(value) : escapeHtml(value ?? '')}"`
    )
    .join('')
  return children.length === 0
    ? `<${name}${written}/>`
    : `<${name}${written}>${children.join('')}</${name}>`
}

/** Returns a line of text, whose characters are escaped. */
export const label = (content: string, attributes: Attributes): string =>
  element('text', attributes, escapeHtml(clean(content)))

/** `12.345` → `12.35`, `12.0` → `12` */
export const round = (value: number): string => String(Math.round(value * 100) / 100)

/** Replaces characters that XML forbids, such as control characters, by spaces. */
export const clean = (text: string): string =>
  text.toWellFormed().replaceAll(/[\p{Cc}\ufffe\uffff]/gu, ' ')
