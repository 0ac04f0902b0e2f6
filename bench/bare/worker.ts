import { type Context, Hono } from 'hono'
import { INSERT } from './insert.ts'

/*
 * The routes that one could write in an afternoon instead of the service: one query per request, without validation, errors
 * or a log. The routes under /checked/ add one query that looks up the API key.
 */

type Bare = { Bindings: { DB: D1Database } }

type Row = {
  id: number
  uuid: string
  created_at: number
  properties: string
  distinct_ids: string
  count: number
}

/** Reads as many distinct ids as the service does: the 100 that it lists, and one more. */
const COLUMNS = `p.id, p.uuid, p.created_at, p.properties,
  (select json_group_array(distinct_id) from (
     select distinct_id from distinct_ids where person_id = p.id order by key limit 101)) as distinct_ids`

const persons = new Hono<Bare>()
  .get('/:project/persons/:id', async (c) => {
    const select = c.env.DB.prepare(
      `select ${COLUMNS} from persons p where project_id = ? and id = ?`
    )
    const row = await select.bind(c.req.param('project'), c.req.param('id')).first<Row>()
    return row ? c.json(toJson(row)) : c.notFound()
  })
  .get('/:project/persons', async (c) => {
    const { results } = await selectPersons(c).all<Row>()
    const rows = results.slice(0, 100)
    const last = results.length > rows.length ? rows.at(-1) : undefined
    const next = last ? `${c.req.path}?at=${last.created_at}&id=${last.id}` : null
    return c.json({ count: rows[0]?.count ?? 0, next, results: rows.map(toJson) })
  })

function selectPersons(c: Context<Bare>): D1PreparedStatement {
  const project = c.req.param('project')
  const { email, search, at = Number.MAX_SAFE_INTEGER, id = 0 } = c.req.query()
  const newest = 'order by p.created_at desc, p.id desc limit 101'
  if (email) {
    return c.env.DB.prepare(
      `select ${COLUMNS}, count(*) over () as count from persons p where project_id = ? and email = ? ${newest}`
    ).bind(project, email)
  }
  if (search) {
    // A rowid of `persons_search` has the project's id in its upper 32 bits, and the person's in the lower.
    return c.env.DB.prepare(
      `select ${COLUMNS}, count(*) over () as count
       from persons_search s cross join persons p on p.id = s.rowid & 4294967295
       where s.search match ?1 and s.rowid between ?2 << 32 and (?2 << 32) + 4294967295 ${newest}`
    ).bind(`"${search}"`, Number(project))
  }
  return c.env.DB.prepare(
    `select ${COLUMNS}, (select value from counters where project_id = ?1 and name = 'persons') as count from persons p
     where project_id = ?1 and (p.created_at, p.id) < (?2, ?3) ${newest}`
  ).bind(project, Number(at), Number(id))
}

function toJson(row: Row) {
  const properties = JSON.parse(row.properties)
  return {
    id: row.id,
    name: properties.email,
    distinct_ids: JSON.parse(row.distinct_ids),
    properties,
    created_at: new Date(row.created_at).toISOString(),
    uuid: row.uuid
  }
}

const app = new Hono<Bare>()
  .get('/nothing', (c) => c.body(null, 204))
  .post('/:project/batch', async (c) => {
    const body = c.req.raw.body?.pipeThrough(new DecompressionStream('gzip'))
    await c.env.DB.prepare(INSERT)
      .bind(c.req.param('project'), await new Response(body).text())
      .run()
    return c.json({ status: 'Ok' })
  })
  .use('/checked/*', async (c, next) => {
    const key = c.req.header('Authorization')?.slice('Bearer '.length) ?? ''
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
    const hash = [...new Uint8Array(digest)]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('')
    const found = await c.env.DB.prepare('select * from api_keys where hash = ?').bind(hash).first()
    return found ? next() : c.body(null, 401)
  })
  .route('/checked', persons)
  .route('/', persons)

export default app
