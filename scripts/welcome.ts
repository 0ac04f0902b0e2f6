import { invitationLink } from '../src/access/invitations/invitation.ts'
import type { Ready } from './service.ts'

/** Returns the text printed when the service is ready: its address, the console, token, key, and requests to try. */
export function welcome(
  url: string,
  { project, key, code }: Pick<Ready, 'project' | 'key' | 'code'>,
  log?: string
): string {
  const event = {
    api_key: project.token,
    event: '$identify',
    distinct_id: 'user-1',
    properties: { $set: { email: 'ada@example.com' } }
  }
  const persons = `${url}/api/environments/${project.id}/persons/`
  const authorization = `-H 'Authorization: Bearer ${key}'`
  return `
Edge Analytics answers on ${url}

Open the console with this link, which works once:
  ${invitationLink(url, code)}

  Project  ${project.id}${log ? `\n  Log      ${log}` : ''}

Its capture token and API key, for the requests in the README:
  export TOKEN=${project.token} KEY=${key}

Send an event, and wait until it is processed:
  curl -H 'Content-Type: application/json' -d '${JSON.stringify(event)}' ${url}/i/v0/e/ && sleep 2

List the persons:
  curl ${authorization} '${persons}'

Find a person by e-mail:
  curl ${authorization} '${persons}?email=ada@example.com'

Ctrl-C stops it.`
}
