import { afterAll, expect, it } from 'vitest'
import { readDocument } from '../../support/document.ts'
import { newProject, published, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

/**
 * Values that are invalid for some parameter: by their range, length or type, or because their JSON
 * lacks a member.
 */
const ODD = [
  '',
  '-1',
  '1001',
  '\0',
  'x'.repeat(5_000),
  '[{}]',
  '[null]',
  '[""]',
  '[{"id":"","key":"","property":""}]',
  '[{"id":null,"key":null,"property":null}]'
]

const { operations } = readDocument(published)

const parameters = operations.flatMap(({ method, template, parameters }) =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => [`${method} ${template}`, name, method, template] as const)
)

const project = await newProject()

afterAll(untilQuiet)

it.each(parameters)(
  '%s answers any value of %s as /openapi.json says',
  async (_, name, method, template) => {
    const path = template.replace('{project_id}', String(project.id)).replace(/\{\w+\}/, '1')

    const answers = await Promise.all(
      ODD.map((value) =>
        request(method, `${path}?${new URLSearchParams({ [name]: value })}`, {
          Authorization: `Bearer ${project.key}`
        })
      )
    )

    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  }
)
