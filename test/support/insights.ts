import { request, type TestProject } from './project.ts'

/** Sends a request with a JSON body to the project's API, with its key. */
export const send = (project: TestProject, method: string, path: string, body?: object) =>
  request(
    method,
    `/api/environments/${project.id}/${path}`,
    { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
    body && JSON.stringify(body)
  )
