import * as z from 'zod'
import { type Json, readJsonParameter } from '../input/json.ts'
import type { Parameter } from '../input/url.ts'
import { invalid, MAX_DEPTH, MAX_FILTERS, MAX_VALUES } from './filter.ts'
import { MAX_PATTERNS } from './pattern.ts'
import { OPERATOR_TABLE, PropertyFiltersJson } from './schemas.ts'

/**
 * Maximum number of query parameters of the form `properties[0][key]=…` in one URL: enough for
 * `MAX_FILTERS` filters with dozens of values each.
 */
const MAX_PARAMETERS = 5_000

/**
 * Describes the parameter `properties` for the API reference only: `readPropertyParameters` reads
 * it.
 */
export const PropertyParameters = z.object({
  properties: z
    .array(
      z.string().meta({
        contentMediaType: 'application/json',
        contentSchema: { $ref: `#/components/schemas/${PropertyFiltersJson.meta()?.id}` }
      })
    )
    .optional()
    .meta({
      description: `Filters as JSON text: a list, all of whose filters must match, \
\`[{"key":"plan","operator":"exact","value":["pro","team"]}]\`, one filter, or a group, \`{"type":"OR","values":[…]}\`. The \
parameter may be repeated; then all filters must match. \`properties[0][key]=plan&properties[0][value]=pro\` works as well.

At most ${MAX_FILTERS} filters, groups nested ${MAX_DEPTH} deep, ${MAX_VALUES} values per filter and ${MAX_PATTERNS} regular \
expressions. A filter that cannot be read gets a 400 that says why, and so does a filter whose regular expressions or values \
would take more than about a second to compare with the values of the property.

A missing or null property fulfils only \`is_not\`, \`not_in\`, \`not_icontains\`, \`not_icontains_multi\`, \`not_regex\` and \
\`is_not_set\`. \`exact\` and \`in\` need a value: without one, they would match everything, as in trends.

${OPERATOR_TABLE}`
    })
})

/**
 * Returns the `properties` of a query string as JSON, or undefined without any. Clients send one or
 * several JSON texts as `properties` or `properties[]` (all filters must match), or spell filters
 * out:
 *
 * `properties[0][key]=plan&properties[0][value][]=pro` → `[{ "key": "plan", "value": ["pro"] }]`
 * @throws invalid_input, attr `properties`
 */
export function readPropertyParameters(parameters: readonly Parameter[]): Json | undefined {
  const valuesOf = (name: string) =>
    parameters.filter(([given]) => given === name).map(([, value]) => value)
  const bracketed = parameters.filter(([name]) => /^properties\[(?!\]$)/.test(name))
  const nodes = [
    ...[...valuesOf('properties'), ...valuesOf('properties[]')]
      .filter((text) => text.trim() !== '')
      .map((text) => readJsonParameter(text, 'properties')),
    ...(bracketed.length > 0 ? [fromBrackets(bracketed)] : [])
  ]
  const [first] = nodes
  if (nodes.length < 2) {
    return first
  }
  return { type: 'AND', values: nodes.flat() }
}

type Tree = Map<string, Tree | string>

function fromBrackets(parameters: [name: string, value: string][]): Json {
  if (parameters.length > MAX_PARAMETERS) {
    throw invalid(`At most ${MAX_PARAMETERS} \`properties[…]\` parameters are allowed.`)
  }
  const root: Tree = new Map()
  for (const [name, value] of parameters) {
    if (!/^properties(\[\w*\])+$/.test(name)) {
      throw invalid(
        `${name.slice(0, 100)} is not a property filter: use names such as properties[0][key].`
      )
    }
    const path = [...name.matchAll(/\[(\w*)\]/g)].map(([, part = '']) => part)
    const last = path.pop() ?? ''
    let tree = root
    for (const [i, part] of path.entries()) {
      const inner = tree.get(part) ?? new Map()
      if (!(inner instanceof Map)) {
        throw bothForms(nameOf(path.slice(0, i + 1)))
      }
      tree.set(part, inner)
      tree = inner
    }
    place(tree, { name, part: last === '' ? String(tree.size) : last, value })
  }
  return toJson(root)
}

/** Sets a value in a tree. @throws invalid_input if something different is there already */
function place(tree: Tree, { name, part, value }: { name: string; part: string; value: string }) {
  const other = tree.get(part)
  if (other instanceof Map) {
    throw bothForms(name)
  }
  if (other !== undefined && other !== value) {
    throw invalid(
      `${name.slice(0, 100)} is given more than once, with different values: send it once.`
    )
  }
  tree.set(part, value)
}

/** Returns the name of the parameter at a path: `0`, `key` is `properties[0][key]`. */
const nameOf = (path: string[]): string => `properties${path.map((part) => `[${part}]`).join('')}`

const bothForms = (name: string) =>
  invalid(`${name.slice(0, 100)} has both a value and members in brackets: send one of them.`)

function toJson(tree: Tree): Json {
  const entries = [...tree].map(([key, node]): [string, Json] => [
    key,
    node instanceof Map ? toJson(node) : node
  ])
  const isList = entries.every(([key]) => /^\d+$/.test(key))
  return isList
    ? entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, node]) => node)
    : Object.fromEntries(entries)
}
