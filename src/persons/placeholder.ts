import { v5 as uuidv5 } from 'uuid'

const PLACEHOLDERS = '6e2a9a36-52a9-4b0e-9d4c-35bb4bd4a9f1'

/** Returns the UUID that stands for a distinct id, or the key of an identity, without a person. */
export const placeholderUuid = (projectId: number, distinctId: string | number): string =>
  uuidv5(`${projectId}:${distinctId}`, PLACEHOLDERS)
