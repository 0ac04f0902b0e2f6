import { useLayoutEffect, useRef } from 'preact/hooks'
import { addressOf, go, parameters } from '../address.ts'
import { isSearchWanted } from '../keys.ts'
import { More, type Paged, usePaged } from '../paged.tsx'
import { Avatar, Empty, Fault, Moment, Name, Skeleton, Top } from '../parts.tsx'
import { SearchField } from '../search.tsx'
import { count } from '../words.ts'
import { countryOf, knownName, type Person, titleOf } from './api.ts'

/** Persons per page. */
const PAGE = '50'

/** The list of persons, newest first, with a search. */
export function PersonsPage() {
  const search = parameters.value.get('search') ?? ''
  const list = usePaged<Person>('persons/', { search, limit: PAGE })
  return (
    <>
      <Top>
        <h1>Persons</h1>
        {list.count !== undefined && <span class="count">{count(list.count)}</span>}
        <span class="grow" />
      </Top>
      <div class="body wide">
        <Search search={search} />
        {list.error && <Fault error={list.error} retry={list.reload} />}
        {!list.rows && !list.error && <Skeleton rows={10} />}
        {list.rows && list.rows.length > 0 && <Rows list={list} />}
        {list.rows?.length === 0 && <NoPersons search={search} />}
      </div>
    </>
  )
}

function Search({ search }: { search: string }) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (isSearchWanted.value) {
      isSearchWanted.value = false
      field.current?.focus()
    }
  }, [])
  return (
    <div class="list-search">
      <SearchField
        id="search"
        label="Search persons"
        placeholder="Name, e-mail address or id"
        search={search}
        find={(text) => go(addressOf(['persons'], { search: text }), { replace: true })}
        field={field}
      />
    </div>
  )
}

function Rows({ list }: { list: Paged<Person> }) {
  return (
    <section class="card">
      <table class="table cards rows">
        <thead>
          <tr>
            <th>Person</th>
            <th>Country</th>
            <th class="num">Ids</th>
            <th class="num">First seen</th>
          </tr>
        </thead>
        <tbody>
          {list.rows?.map((person) => (
            <Row key={person.uuid} person={person} />
          ))}
        </tbody>
      </table>
      <More list={list} />
    </section>
  )
}

function Row({ person }: { person: Person }) {
  const { title, more } = titleOf(person)
  return (
    <tr>
      <td data-p="1l">
        <a class="who" data-row href={addressOf(['persons', person.uuid])}>
          <Avatar name={knownName(person)} />
          <span class="cut">
            <b>
              <Name>{title}</Name>
            </b>
            {more && (
              <span class="mut">
                <Name>{more}</Name>
              </span>
            )}
          </span>
        </a>
      </td>
      <td class="sec cut" data-p="no">
        {countryOf(person) ?? '–'}
      </td>
      <td class="num sec" data-p="no">
        {count(person.distinct_ids.length)}
        {person.distinct_ids_truncated && '+'}
      </td>
      <td class="num sec nowrap" data-p="1r">
        <Moment at={person.created_at} />
      </td>
    </tr>
  )
}

const NoPersons = ({ search }: { search: string }) =>
  search === '' ? (
    <Empty title="No persons yet.">
      <p class="sec">
        Visitors become persons once your page or server calls <code>posthog.identify()</code>, or
        sends an event with a distinct id.
      </p>
    </Empty>
  ) : (
    <Empty title={`No person matches “${search.slice(0, 100)}”.`}>
      <p class="sec">A part of a name, e-mail address or username, or a whole id, finds persons.</p>
      <a class="b" href={addressOf(['persons'])}>
        Show all persons
      </a>
    </Empty>
  )
