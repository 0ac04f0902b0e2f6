import { withoutControls } from '../input/show.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

/** Escapes a text for HTML, including the values of attributes. HTML forbids control characters. */
export const escapeHtml = (text: string): string =>
  withoutControls(text).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char)

/** Writes a user's text among other words in HTML. Text from right to left does not move what is beside it. */
export const isolated = (text: string): string => `<bdi>${escapeHtml(text)}</bdi>`
