import type { QuestionNode } from '../chart/answer.ts'
import type { MenuItem } from '../menu.tsx'
import { toast } from '../parts.tsx'
import { project } from '../session.ts'
import { type CopyForm, copyText } from './question.ts'

const COPIES: readonly (readonly [CopyForm, string])[] = [
  ['curl', 'Copy as curl'],
  ['json', 'Copy as JSON'],
  ['typescript', 'Copy as TypeScript']
]

/** Offers to copy a question for a terminal or a program. */
export const copyItems = (query: QuestionNode | undefined): MenuItem[] =>
  query
    ? COPIES.map(([form, name]) => ({
        name,
        icon: 'copy',
        run: () => {
          const url = `${location.origin}/api/projects/${project.value?.id}/query/`
          void navigator.clipboard.writeText(copyText(form, query, url)).then(() => toast('Copied'))
        }
      }))
    : []
