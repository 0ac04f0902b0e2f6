import { useLoaded } from '../loaded.ts'
import { Avatar, Fault, Moment, Name, Skeleton } from '../parts.tsx'
import { count } from '../words.ts'
import { loadKeys } from './api.ts'
import { Section } from './section.tsx'
import { grantWords, membersOf, nameOfUser } from './words.ts'

/** The people whose keys have access to the project. */
export function Users() {
  const { data, error, reload } = useLoaded('keys', loadKeys)
  return (
    <Section
      title="Users"
      words="People with a key for this project. Without a key, nobody has access: revoke the keys of people who leave."
    >
      {error && <Fault error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && (
        <div class="card">
          <table class="table cards keys users">
            <thead>
              <tr>
                <th>User</th>
                <th>Scopes</th>
                <th>Last used</th>
                <th class="num">Keys</th>
              </tr>
            </thead>
            <tbody>
              {membersOf(data.results).map(({ user, keys, lastUsed }) => (
                <tr key={user.id}>
                  <td data-p="1l">
                    <span class="who">
                      <Avatar name={nameOfUser(user)} />
                      <span class="cut">
                        <b>
                          <Name>{nameOfUser(user)}</Name>
                        </b>
                        <span class="mut">
                          <Name>{user.email}</Name>
                        </span>
                      </span>
                    </span>
                  </td>
                  <td class="sec" data-p="2l">
                    <span class="cut-2">{[...new Set(keys.map(grantWords))].join(' · ')}</span>
                  </td>
                  <td class="sec nowrap" data-p="2r">
                    {lastUsed === null ? 'Never' : <Moment at={lastUsed} />}
                  </td>
                  <td class="num sec" data-p="1r">
                    {count(keys.length)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  )
}
