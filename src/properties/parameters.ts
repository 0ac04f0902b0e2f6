import * as z from 'zod'
import { faultOf, type Json, parseJson } from '../input/json.ts'
import { invalid, MAX_DEPTH, MAX_FILTERS, MAX_VALUES, OPERATOR_TABLE } from './filter.ts'
import { MAX_PATTERNS } from './pattern.ts'

const MAX_PARAMETERS = 5_000

/** How the interface describes what `readPropertyParameters` reads. */
export const PropertyParameters = z.object({
  properties: z
    .array(
      z.string().meta({
        contentMediaType: 'application/json',
        contentSchema: { $ref: '#/components/schemas/PropertyFilters' }
      })
    )
    .optional()
    .meta({
      description: `Filters as JSON text: an array of which all have to match, one filter, or a group: \
\`[{"key":"plan","operator":"exact","value":["pro","team"]}]\`, \`{"type":"OR","values":[…]}\`. Given several times, all \
have to match. Also \`properties[0][key]=plan&properties[0][value]=pro\`. At most ${MAX_FILTERS} filters, ${MAX_DEPTH} \
groups inside each other, ${MAX_VALUES} values a filter and ${MAX_PATTERNS} regular expressions. What is wrong with a filter is a 400 that names it; so is a \
regular expression, or a number of values, that would take more than about a second to compare with those of the property.

A missing or null property fulfils only \`is_not\`, \`not_in\`, \`not_icontains\`, \`not_icontains_multi\`, \`not_regex\` and \`is_not_set\`.

${OPERATOR_TABLE}`
    })
})

/**
 * The `properties` of a query string as JSON, from any of the spellings that clients use: one JSON text, several of
 * them (all have to match), also named `properties[]`, or `properties[0][key]=…&properties[0][value][]=…`. Undefined
 * when there are none.
 * @throws invalid_input, attr `properties`
 */
export function readPropertyParameters(parameters: URLSearchParams): Json | undefined {
  const texts = [...parameters.getAll('properties'), ...parameters.getAll('properties[]')]
  const bracketed = [...parameters].filter(([name]) => /^properties\[(?!\]$)/.test(name))
  const nodes = [
    ...texts.filter((text) => text.trim() !== '').map(parse),
    ...(bracketed.length > 0 ? [fromBrackets(bracketed)] : [])
  ]
  const [first] = nodes
  if (nodes.length < 2) {
    return first
  }
  return { type: 'AND', values: nodes.flat() }
}

function parse(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw invalid(faultOf(error))
  }
}

type Tree = Map<string, Tree | string>

function fromBrackets(parameters: [name: string, value: string][]): Json {
  if (parameters.length > MAX_PARAMETERS) {
    throw invalid(`At most ${MAX_PARAMETERS} parameters are allowed.`)
  }
  const root: Tree = new Map()
  for (const [name, value] of parameters) {
    if (!/^properties(\[\w*\])+$/.test(name)) {
      throw invalid(`${name.slice(0, 100)} is not a property filter.`)
    }
    const path = [...name.matchAll(/\[(\w*)\]/g)].map(([, part = '']) => part)
    const last = path.pop() ?? ''
    let tree = root
    for (const part of path) {
      const inner = tree.get(part) ?? new Map()
      if (!(inner instanceof Map)) {
        throw invalid(`${name.slice(0, 100)} names a value and a list.`)
      }
      tree.set(part, inner)
      tree = inner
    }
    tree.set(last === '' ? String(tree.size) : last, value)
  }
  return toJson(root)
}

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
