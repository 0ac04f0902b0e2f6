import { randomBase62 } from './key.ts'

/**
 * Makes an access token, with which anyone can see an object while it is shared: the project's id,
 * which leads to its database, and 192 random bits.
 */
export const newAccessToken = (projectId: number): string => `${projectId}-${randomBase62(24)}`

/** Returns the project of an access token; undefined for anything that is not an access token. */
export const projectOfToken = (token: string): number | undefined => {
  const [, project] = /^(\d{1,15})-[0-9A-Za-z]{33}$/.exec(token) ?? []
  return project === undefined ? undefined : Number(project)
}
