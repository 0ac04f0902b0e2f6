import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../src/app.ts'
import { createDocument } from '../src/http/document.ts'
import { INFO, TAGS } from '../src/service/docs/info.ts'

const app = createApp(
  () => new Date(),
  () => ({ consuming: 0, retrying: 0 })
)

/** The API's contract as served at `/openapi.json`, kept in the repository so that changes show up in a diff. */
const file = join(import.meta.dirname, '../docs/openapi.json')

writeFileSync(file, JSON.stringify(createDocument(app.routes, INFO, TAGS)))
