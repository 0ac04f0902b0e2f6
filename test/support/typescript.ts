import { ts } from '@ts-morph/common'

/** TypeScript 5 with its API: client.ts gives it to openapi-typescript in place of the package `typescript`. */
export default ts
