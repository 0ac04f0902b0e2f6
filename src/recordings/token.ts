import { randomBase62 } from '../projects/key.ts'

/** By which anyone reads a shared recording: the project, which leads to its database, and 192 random bits. */
export const newAccessToken = (projectId: number): string => `${projectId}-${randomBase62(24)}`

/** The project of an access token, undefined for what is none. */
export const projectOfToken = (token: string): number | undefined => {
  const [, project] = /^(\d{1,15})-[0-9A-Za-z]{33}$/.exec(token) ?? []
  return project === undefined ? undefined : Number(project)
}
