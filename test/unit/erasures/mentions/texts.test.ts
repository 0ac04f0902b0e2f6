import { describe, expect, it } from 'vitest'
import { MAX_TEXTS, Texts } from '../../../../src/erasures/mentions/texts.ts'

const UUID = '01a1f000-0000-7000-8000-00000000000a'

const ada = new Texts({
  uuid: UUID,
  distinct_ids: ['user-1', 'a"b', '7', 'x.y(z'],
  properties: { email: 'Ada.B@example.com', $email: 5, name: 'Ada' }
})

describe('the texts of a person', () => {
  it.each([
    'user-1',
    'for user-1, and others',
    'It was user-1.',
    'https://shop.example/user-1/orders',
    'https://shop.example/?id=user-1&n=2#user-1',
    '{"id":"user-1"}',
    'mailto:ada.b@EXAMPLE.com?subject=Hi',
    'to=ada.b%40example.com',
    'Ada <Ada.B@example.com>',
    'a"b',
    'see x.y(z!',
    'https://shop.example/?next=%2Fusers%2Fuser-1%2Forders',
    'https://shop.example/?next=https%3A%2F%2Fshop.example%2F%3Fid%3Duser-1%26n%3D2',
    'https://shop.example/?next=%2F%3Fto%3Dada.b%2540example.com%26n%3D2',
    'https://shop.example/?a=%2F%3Fb%3D%252Fuser-1%252Forders',
    'Ask „ada.b@example.com“ or «user-1».',
    '**user-1**',
    '请联系（ada.b@example.com）。',
    '请看 user-1。',
    UUID
  ])('stand in %s', (text) => {
    expect(ada.isIn(text)).toBe(true)
  })

  it.each([
    'user-12',
    'user-1-a',
    'USER-1',
    'my-user-1',
    'user-1@example.com',
    'not.ada.b@example.com',
    'x+ada.b@example.com',
    'ada.b@example.com.evil.example',
    'adaxb@example.com',
    'xxy(z',
    'https://shop.example/?q=%C3%A9user-1',
    'https://shop.example/?q=x%2Duser-1',
    '100%user-1',
    '7',
    'Ada'
  ])('do not stand in %s', (text) => {
    expect(ada.isIn(text)).toBe(false)
  })

  it('are counted, and looked for up to a limit, e-mail addresses first', () => {
    expect([ada.total, ada.searched.length]).toEqual([6, 5])
    const many = new Texts({
      uuid: UUID,
      distinct_ids: Array.from({ length: 50 }, (_, n) => `id-${n}`),
      properties: { email: 'ada@example.com' }
    })
    expect([many.total, many.searched.length]).toEqual([52, MAX_TEXTS])
    expect(many.searched.slice(0, 2)).toEqual(['ada@example.com', UUID])
    expect([many.isIn('id-0'), many.isIn('id-49')]).toEqual([true, false])
  })

  it('are found and replaced in objects and lists, also in names of members', () => {
    const value = { by: ['user-1', 7, null], 'user-1': { deep: true }, n: 'user-12' }

    expect(ada.isWithin(value)).toBe(true)
    expect(ada.isWithin({ n: 'user-12', m: [7] })).toBe(false)
    expect(ada.without(value)).toEqual({
      by: ['[removed]', 7, null],
      '[removed]': { deep: true },
      n: 'user-12'
    })
    expect(ada.without('Mail ada.b@example.com or user-1.')).toBe('Mail [removed] or [removed].')
  })

  it('have patterns for filters that match them alone', () => {
    const patterns = ada.patternsIn({ by: ['user-1'] })

    expect(patterns).toHaveLength(1)
    const pattern = new RegExp(patterns[0] ?? '', 'u')
    expect(
      ['user-1', '["user-1"]', '/?next=%2Fuser-1%3F', '„user-1“', 'user-12', 'user-1-a'].map(
        (text) => pattern.test(text)
      )
    ).toEqual([true, true, true, true, false, false])
  })

  it('may have half of a surrogate pair, or be an e-mail address as a distinct id', () => {
    const odd = new Texts({
      uuid: UUID,
      distinct_ids: ['id-\ud800', 'eve@example.com'],
      properties: { email: 'a\udc00@example.com' }
    })
    expect([odd.isIn('id-\ud800'), odd.isIn('Eve@Example.com'), odd.isIn('id-')]).toEqual([
      true,
      true,
      false
    ])
  })

  it('are nothing for a person with short ids only', () => {
    const nobody = new Texts({ uuid: '', distinct_ids: ['7'], properties: {} })
    expect([nobody.searched, nobody.isIn('7'), nobody.isIn('')]).toEqual([[], false, false])
  })
})
