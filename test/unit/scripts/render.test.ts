import { expect, it } from 'vitest'
import { render } from '../../../scripts/admin/render.ts'

it('names cannot give commands to a terminal, or break a table', () => {
  const projects = [
    { id: 1, name: 'Shop\u001b]0;title\u0007' },
    { id: 2, name: 'a\r\nb\u009b2J' }
  ]

  expect(render({ projects })).toBe('id  name\n1   Shop\ufffd]0;title\ufffd\n2   a b\ufffd2J')
})

it('says in words that a list is empty', () => {
  expect(render({ dead_letters: [] })).toBe('No dead letters.')
})
