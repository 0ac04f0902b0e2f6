import { describe, expect, it } from 'vitest'
import { distinctIds, list, NOBODY, people, person, walk } from '../../support/persons.ts'
import { newProject } from '../../support/project.ts'

describe('a filter', () => {
  it('finds the person with a distinct id', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'ada'), person(2, 'ada2'), person(3, 'Ada')])

    const { status, body } = await list(project, 'distinct_id=ada')

    expect([status, body.count, body.next]).toEqual([200, 1, null])
    expect(distinctIds(body)).toEqual(['ada'])
  })

  it.each([
    "o'hara",
    '100%',
    'a_b',
    '"quoted"',
    'a*b',
    'a+b c',
    'é',
    '日本語',
    '{"a":1}',
    '🙂',
    'a\\b',
    'x'.repeat(200)
  ])('finds the distinct id %s and no other distinct id', async (id) => {
    const project = await newProject()
    await project.ingest([person(1, id), person(2, 'other'), person(3, 'aXb')])
    const query = encodeURIComponent(id)

    const filtered = await list(project, `distinct_id=${query}`)
    const searched = await list(project, `search=${query}`)

    expect(distinctIds(filtered.body)).toEqual([id])
    expect(distinctIds(searched.body)).toEqual([id])
    expect([filtered.body.count, searched.body.count]).toEqual([1, 1])
  })

  it('finds every person with an e-mail, exactly as written', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'a', { email: 'ada@example.com' }),
      person(2, 'b', { email: 'Ada@example.com' }),
      person(3, 'c', { email: 'ada@example.com' }),
      person(4, 'd', { email: 'ada@example.com.au' }),
      person(5, 'e', { Email: 'ada@example.com' }),
      person(6, 'f', { name: 'ada@example.com' })
    ])

    const exact = await list(project, 'email=ada@example.com')
    const upper = await list(project, 'email=Ada@example.com')
    const none = await list(project, 'email=ADA@example.com')

    expect([exact.body.count, distinctIds(exact.body)]).toEqual([2, ['c', 'a']])
    expect([upper.body.count, distinctIds(upper.body)]).toEqual([1, ['b']])
    expect(none.body).toEqual(NOBODY)
  })

  it('finds an e-mail with a plus', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: 'ada+x@example.com' })])

    expect((await list(project, 'email=ada%2Bx@example.com')).body.count).toBe(1)
  })

  it('finds a person by the current e-mail and not by the previous one', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: 'old@example.com' })])
    await project.ingest([person(2, 'a', { email: 'new@example.com' })])

    expect((await list(project, 'email=old@example.com')).body).toEqual(NOBODY)
    expect((await list(project, 'search=old@')).body).toEqual(NOBODY)
    expect((await list(project, 'email=new@example.com')).body.count).toBe(1)
    expect((await list(project, 'search=new@')).body.count).toBe(1)
  })

  it('finds nobody by the e-mail of a person who was merged into another', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'kept', { email: 'kept@example.com' }),
      person(2, 'gone', { email: 'gone@example.com' })
    ])
    await project.ingest([
      {
        event: '$merge_dangerously',
        distinct_id: 'kept',
        timestamp: Date.UTC(2024, 10, 3),
        properties: { alias: 'gone', $set: { email: 'kept@example.com' } }
      }
    ])

    expect((await list(project, 'search=gone@')).body).toEqual(NOBODY)
    expect((await list(project, 'search=kept@')).body.count).toBe(1)
    expect((await list(project, 'search=gone')).body.count).toBe(1)
  })

  it.each(['Ada', ' Ada', 'Ada ', '\u00a0Ada\t'])(
    'finds a name with and without blanks at its ends: %j',
    async (name) => {
      const project = await newProject()
      await project.ingest([person(1, 'a', { name }), person(2, 'b', { name: 'Bob' })])

      for (const search of ['ada', ' ada', 'Ada ', ' ADA ']) {
        const { body } = await list(project, `search=${encodeURIComponent(search)}`)
        expect(distinctIds(body)).toEqual(['a'])
      }
    }
  )

  it('finds a distinct id with blanks at its ends', async () => {
    const project = await newProject()
    await project.ingest([person(1, ' a ', {}), person(2, 'b', {})])

    expect((await list(project, 'search=%20a%20')).body.count).toBe(1)
    expect((await list(project, 'search=a')).body.count).toBe(0)
  })

  it.each(['search=', 'properties=', 'properties=[]', 'search=&properties='])(
    'that is empty does not filter: %s',
    async (query) => {
      const project = await newProject()
      await project.ingest(people(2))

      const { status, body } = await list(project, query)

      expect([status, body.count, body.results.length]).toEqual([200, 2, 2])
    }
  )

  it.each([
    ['email=ada@example.com&distinct_id=a', ['a']],
    ['email=ada@example.com&distinct_id=b', []],
    ['email=ada@example.com&search=example', ['c', 'a']],
    ['email=ada@example.com&search=bob', []],
    ['search=example&distinct_id=b', ['b']],
    ['search=ada&distinct_id=b', []],
    ['search=a&email=ada@example.com&distinct_id=c', ['c']],
    ['search=b&distinct_id=a', []]
  ])('and another filter must both match: %s', async (query, expected) => {
    const project = await newProject()
    await project.ingest([
      person(1, 'a', { email: 'ada@example.com' }),
      person(2, 'b', { email: 'bob@example.com' }),
      person(3, 'c', { email: 'ada@example.com' })
    ])

    const { body } = await list(project, query)

    expect([body.count, distinctIds(body)]).toEqual([expected.length, expected])
  })

  it.each(['distinct_id', 'email', 'search'])(
    'by %s may not be longer than 1,000 characters',
    async (name) => {
      const project = await newProject()

      const { status, body } = await list(project, `${name}=${'x'.repeat(1_001)}`)

      expect(status).toBe(400)
      expect(body).toEqual({
        type: 'validation_error',
        code: 'max_length',
        detail: 'Ensure this field has no more than 1000 characters.',
        attr: name
      })
    }
  )

  it.each(['properties=x', 'properties=[{', 'properties=1', 'properties="email"'])(
    'on properties is refused if it is invalid: %s',
    async (query) => {
      const project = await newProject()

      const { status, body } = await list(project, query)

      expect(status).toBe(400)
      expect(body).toMatchObject({ type: 'validation_error', code: 'invalid_input' })
      expect(body.attr).toMatch(/^properties/)
    }
  )
})

describe('search', () => {
  const EMAIL = 'Ada.Lovelace+news@Sub.Example.COM'

  it.each([
    'Ada.Lovelace+news@Sub.Example.COM',
    'ada.lovelace+news@sub.example.com',
    'ADA.',
    'lace+NEWS',
    '@',
    '.c',
    'Ad',
    'com',
    'lovelace+news@sub.example.c'
  ])('finds part of an e-mail in upper or lower case: %s', async (term) => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: EMAIL }), person(2, 'b', { email: 'b-b' })])

    const { status, body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect([status, body.count, distinctIds(body)]).toEqual([200, 1, ['a']])
  })

  it.each([
    'q',
    'zz',
    'ada lovelace',
    'lovelace ada',
    'ada*',
    'a%e',
    'a_a',
    '"ada"',
    "ada'",
    'OR',
    'NOT ada',
    'search:ada',
    '^ada',
    'ada.lovelace+news@sub.example.comm'
  ])('takes a term literally and finds nobody with %s', async (term) => {
    const project = await newProject()
    await project.ingest([person(1, 'p', { email: EMAIL })])

    const { status, body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect(status).toBe(200)
    expect(body).toEqual(NOBODY)
  })

  it.each([
    '%',
    '_',
    '"',
    "'",
    '*',
    '""',
    "''",
    '100%',
    'a_b',
    'say "hi"',
    "o'h",
    'x*y',
    '(',
    'a AND',
    '\\',
    '--',
    '🙂',
    '🙂🙂',
    '日本',
    '日本語'
  ])('finds %s where it occurs, and nowhere else', async (term) => {
    const project = await newProject()
    await project.ingest([
      person(1, 'with', { name: `~${term}~` }),
      person(2, 'without', { name: 'abc axb xaay' })
    ])

    const { status, body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect([status, body.count, distinctIds(body)]).toEqual([200, 1, ['with']])
  })

  it.each([
    ['É composed', 'Éric@example.com', '\u00c9ric'],
    ['É decomposed', '\u00c9ric@example.com', 'E\u0301ric'],
    ['é for É', '\u00c9ric@example.com', '\u00e9ric'],
    ['é decomposed for É', '\u00c9ric@example.com', 'e\u0301ric'],
    ['É for é decomposed', 'e\u0301ric@example.com', '\u00c9RIC'],
    ['one letter, É for é decomposed', 'e\u0301ric@example.com', '\u00c9'],
    ['two letters', 'e\u0301ric@example.com', '\u00c9R'],
    ['Cyrillic', 'ИВАН@example.com', 'иван'],
    ['Greek', 'ΣΊΣΥΦΟΣ', 'σίσυφος']
  ])('treats letters alike in any case and composition: %s', async (_, email, term) => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email }), person(2, 'b', { email: 'eric@example.com' })])

    const { body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect([body.count, distinctIds(body)]).toEqual([1, ['a']])
  })

  it('finds a term of more than 50 bytes', async () => {
    const project = await newProject()
    const local = 'a-very-long-local-part-of-an-address-that-goes-on-and-on-é'
    await project.ingest([
      person(1, 'a', { email: `${local}@example.com` }),
      person(2, 'b', { email: `${local.replace('goes', 'went')}@example.com` })
    ])

    const { body } = await list(
      project,
      `search=${encodeURIComponent(`${local.toUpperCase()}@EXAMPLE`)}`
    )

    expect([body.count, distinctIds(body)]).toEqual([1, ['a']])
  })

  it.each(['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName'])(
    'searches the property %s',
    async (key) => {
      const project = await newProject()
      await project.ingest([person(1, 'a', { [key]: 'Needle in here' })])

      expect((await list(project, 'search=needle%20in')).body.count).toBe(1)
    }
  )

  it('searches no other property', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { plan: 'needle', nested: { email: 'needle' } })])

    expect((await list(project, 'search=needle')).body).toEqual(NOBODY)
  })

  it('does not find a term across two properties', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: 'one@x.com', name: 'Two' })])

    expect((await list(project, 'search=comtwo')).body).toEqual(NOBODY)
    expect((await list(project, `search=${encodeURIComponent('com\u001ftwo')}`)).body).toEqual(
      NOBODY
    )
    expect((await list(project, `search=${encodeURIComponent('m\u001ft')}`)).body).toEqual(NOBODY)
  })

  it('finds a distinct id only as a whole, and in its own case', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'User-42')])

    expect((await list(project, 'search=User-42')).body.count).toBe(1)
    expect((await list(project, 'search=User')).body).toEqual(NOBODY)
    expect((await list(project, 'search=user-42')).body).toEqual(NOBODY)
  })

  it('finds a uuid only as a whole, in either case', async () => {
    const project = await newProject()
    await project.ingest(people(2))
    const { uuid } = (await list(project, '')).body.results[0]

    expect((await list(project, `search=${uuid}`)).body.count).toBe(1)
    expect((await list(project, `search=${uuid.toUpperCase()}`)).body.count).toBe(1)
    expect((await list(project, `search=${uuid.slice(0, -1)}`)).body).toEqual(NOBODY)
  })

  it('shows a person who matches in several ways once', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'ada@example.com', { email: 'ada@example.com', name: 'ada@example.com' }),
      person(2, 'b', { email: 'not-ada@example.com' })
    ])

    const { body } = await list(project, 'search=ada@example.com')

    expect([body.count, distinctIds(body)]).toEqual([2, ['b', 'ada@example.com']])
  })

  it('pages through its matches, newest first', async () => {
    const project = await newProject()
    await project.ingest([
      ...[1, 2, 3, 4, 5].map((n) => person(n, `p${n}`, { email: `p${n}@example.com` })),
      person(6, 'other', { email: 'other@elsewhere.org' })
    ])

    const pages = await walk(project, 'search=EXAMPLE&limit=2')

    expect(pages.map(distinctIds)).toEqual([['p5', 'p4'], ['p3', 'p2'], ['p1']])
    expect(pages.map(({ count }) => count)).toEqual([5, 5, 5])
  })

  it.each(['search', 'distinct_id', 'email'])('refuses null characters in `%s`', async (name) => {
    const { status, body } = await list(await newProject(), `${name}=ada%00`)

    expect([status, body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'invalid_input',
        detail: 'Null characters are not allowed.',
        attr: name
      }
    ])
  })

  it('finds a text with an unpaired surrogate or a null character', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'a', { name: 'half\ud800needle' }),
      person(2, 'b', { email: 'nul\u0000needle@example.com' })
    ])

    const { status, body } = await list(project, 'search=needle')

    expect([status, body.count, distinctIds(body)]).toEqual([200, 2, ['b', 'a']])
  })
})
