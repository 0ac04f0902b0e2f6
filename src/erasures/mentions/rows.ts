import { isObject, type Json, type JsonObject } from '../../input/json.ts'
import { type Mention, namesWithin, type Removal } from './mention.ts'
import type { Row, Source } from './store.ts'
import type { Texts } from './texts.ts'

const mentionOf = ({ id }: Row, fields: string[], removal: Removal | null): Mention[] =>
  fields.length === 0 ? [] : [{ id: String(id), fields, events: null, removal }]

/**
 * Returns the fields of an object that mention the person, and the request that replaces the texts
 * in them.
 */
function patchOf(row: Row, path: string, members: Record<string, Json>, texts: Texts): Mention[] {
  const fields = Object.keys(members).filter((name) => texts.isWithin(members[name] ?? null))
  const body = Object.fromEntries(
    fields.map((name) => [name, texts.without(members[name] ?? null)])
  )
  return mentionOf(row, fields, { method: 'PATCH', path: `${path}/${row.id}/`, body })
}

const parsed = (text: string | null | undefined): Json => (text ? JSON.parse(text) : null)

/** Returns where an object of a store mentions the person. */
export const describeRow: Record<Source, (row: Row, texts: Texts) => Mention[]> = {
  subscriptions(row, texts) {
    const { title = null, invite_message = null } = row
    const fields = patchOf(row, 'subscriptions', { title, invite_message }, texts)
    const target = row.target_value ?? ''
    if (!texts.isIn(target)) {
      return fields
    }
    const body = {
      ...fields[0]?.removal?.body,
      ...withoutRecipient(row.target_type, target, texts)
    }
    const names = ['target_value', ...(fields[0]?.fields ?? [])]
    return mentionOf(row, names, { method: 'PATCH', path: `subscriptions/${row.id}/`, body })
  },
  alerts(row, texts) {
    const { title: name = null, target_value } = row
    const path = `alerts/${row.id}/`
    const target = target_value ?? ''
    const fields = texts.isWithin(name) ? ['name'] : []
    const named = fields.length > 0 ? { name: texts.without(name) } : {}
    if (!texts.isIn(target)) {
      return mentionOf(row, fields, { method: 'PATCH', path, body: named })
    }
    const others = othersIn(row.target_type, target, texts)
    const removal: Removal = others
      ? { method: 'PATCH', path, body: { ...named, target_value: others } }
      : { method: 'DELETE', path, body: {} }
    return mentionOf(row, ['target_value', ...fields], removal)
  },
  // Nothing changes a delivery. The service deletes it some time after it has finished.
  subscription_deliveries(row, texts) {
    const members: Record<string, Json> = {
      recipients: parsed(row.recipients),
      error: row.error ?? null,
      verdict: parsed(row.verdict)
    }
    const fields = Object.keys(members).filter((name) => texts.isWithin(members[name] ?? null))
    return mentionOf(row, fields, null)
  },
  insights(row, texts) {
    const { name = null, derived_name = null, description = null } = row
    const [filters, query, tags] = [parsed(row.filters), parsed(row.query), parsed(row.tags)]
    return patchOf(
      row,
      'insights',
      { name, derived_name, description, filters, query, tags },
      texts
    )
  },
  dashboards(row, texts) {
    const { name = null, description = null } = row
    return patchOf(row, 'dashboards', { name, description, tags: parsed(row.tags) }, texts)
  },
  annotations(row, texts) {
    return patchOf(row, 'annotations', { content: row.content ?? null }, texts)
  },
  cohorts(row, texts) {
    const { name = null, description = null } = row
    return patchOf(row, 'cohorts', { name, description, filters: parsed(row.filters) }, texts)
  },
  persons(row, texts) {
    const properties = parsed(row.properties)
    const names = isObject(properties) ? namesWithin(properties, texts) : []
    const path = `persons/${row.uuid}/delete_property/`
    return names.map((name) => ({
      id: row.uuid ?? '',
      fields: [name],
      events: null,
      removal: { method: 'POST', path, body: { $unset: name } }
    }))
  }
}

/**
 * Returns the changes of a subscription without the person: the other recipients or, if there are
 * none, the end.
 */
function withoutRecipient(
  type: string | null | undefined,
  target: string,
  texts: Texts
): JsonObject {
  const others = othersIn(type, target, texts)
  if (others) {
    return { target_value: others }
  }
  const nobody = type === 'email' ? 'nobody@example.com' : 'https://example.com/'
  return { deleted: true, target_value: nobody }
}

/** Returns the list of the other addresses; undefined if there are none. */
function othersIn(
  type: string | null | undefined,
  target: string,
  texts: Texts
): string | undefined {
  const addresses = type === 'email' ? target.split(',').map((address) => address.trim()) : []
  return addresses.filter((address) => !texts.isIn(address)).join(', ') || undefined
}
