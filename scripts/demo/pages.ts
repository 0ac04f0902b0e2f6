import type { JsonObject } from '../../src/input/json.ts'

/** A page of the product, as a person sees it. */
export type View = { path: string; name: string; company: string }

/** The id of the element to which notices are added. */
export const MAIN = 2

const STYLE = `
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1c2b33; background: #f4f7f8; }
header { display: flex; gap: 20px; align-items: center; padding: 14px 32px; background: #0f4c5c; color: #fff; }
header b { font-size: 20px; margin-right: auto; }
main { position: relative; padding: 24px 32px; }
h1 { margin: 0 0 72px; font-size: 28px; line-height: 1.2; }
button { position: absolute; left: 32px; top: 76px; padding: 10px 28px; border: 0; border-radius: 8px; background: #e36414; color: #fff; font: inherit; font-weight: 600; }
section { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 16px; }
article { padding: 16px; border-radius: 10px; background: #fff; box-shadow: 0 1px 3px #0002; }
article p { margin: 4px 0 0; color: #5b6b73; font-size: 14px; }
.notice { margin: 16px 0 0; padding: 10px 16px; border-radius: 8px; background: #d8f3dc; color: #1b4332; }
`

/** Title and button of each page. */
const PAGES: Record<string, [title: string, button: string]> = {
  '/login': ['Welcome back', 'Log in'],
  '/signup': ['Create your account', 'Sign up'],
  '/app/welcome': ['Welcome aboard', 'Start'],
  '/app/board': ['Board', 'New task'],
  '/app/tasks': ['Tasks', 'Comment'],
  '/app/projects': ['Projects', 'New project'],
  '/app/search': ['Search', 'Search'],
  '/app/reports': ['Reports', 'Export'],
  '/app/team': ['Team', 'Invite'],
  '/app/billing': ['Billing', 'Change plan'],
  '/app/shop': ['Add-ons', 'Buy'],
  '/app/settings': ['Settings', 'Save']
}

const CARDS = [
  ['Repaint the pier', 'Due on Friday'],
  ['Order new ropes', 'Waiting for the yard'],
  ['Tide tables for spring', 'In review'],
  ['Crew list', '12 of 14 have answered'],
  ['Fix the crane', 'Blocked'],
  ['Autumn regatta', 'Planned']
] as const

/** Draws a page as rrweb records it: a document with an id for each node. */
export function drawPage({ path, name, company }: View): JsonObject {
  let last = MAIN
  const id = () => {
    last += 1
    return last
  }
  const text = (textContent: string): JsonObject => ({ type: 3, id: id(), textContent })
  const element = (tagName: string, attributes: JsonObject, ...childNodes: JsonObject[]) => ({
    type: 2,
    id: id(),
    tagName,
    attributes,
    childNodes
  })
  const [title, button] = PAGES[path] ?? ['Harbour', 'Go on']
  const shown = path.startsWith('/app/') ? CARDS : []
  const cards = shown.map(([head, words]) =>
    element('article', {}, element('b', {}, text(head)), element('p', {}, text(words)))
  )
  const main = element(
    'main',
    {},
    element('h1', {}, text(title)),
    element('button', {}, text(button)),
    element('section', {}, ...cards)
  )
  const page = element(
    'html',
    { lang: 'en' },
    element('head', {}, element('style', { _cssText: STYLE })),
    element(
      'body',
      {},
      element(
        'header',
        {},
        element('b', {}, text('Harbour')),
        element('span', {}, text(company)),
        element('span', {}, text(name))
      ),
      { ...main, id: MAIN }
    )
  )
  const doctype = { type: 1, id: id(), name: 'html', publicId: '', systemId: '' }
  return { type: 0, id: 1, childNodes: [doctype, page] }
}

/** Ids of added nodes begin here; each notice adds two nodes. */
const ADDED = 1_000_000

/** Returns the nodes that a notice such as "task created" adds to a page. Notices at different times have different ids. */
export function toast(words: string, time: number): JsonObject[] {
  const id = ADDED + 2 * (time % 1_000_000_000)
  const notice = { type: 2, id, tagName: 'p', attributes: { class: 'notice' }, childNodes: [] }
  return [
    { parentId: MAIN, nextId: null, node: notice },
    { parentId: id, nextId: null, node: { type: 3, id: id + 1, textContent: `✓ ${words}` } }
  ]
}
