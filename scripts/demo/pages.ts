import type { JsonObject } from '../../src/input/json.ts'

/** A page of the product, as a person sees it in a window of this width, pixels. */
export type View = { path: string; name: string; company: string; width: number }

/** The ids of the element to which notices are added, and of the button. */
export const [MAIN, BUTTON] = [2, 3]

/** Pixels: height of the header, and width, height and distance from the corner of a button. */
const [HEADER, WIDE, HIGH, EDGE] = [56, 136, 40, 24]
/** Pixels of the form of a page without navigation, and its distance from the header. */
const FORM = { width: 340, height: 372, top: 48 }

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: #14313c; background: #f3f7f7; }
header { display: flex; gap: 12px; align-items: center; height: ${HEADER}px; padding: 0 ${EDGE}px; background: #12495a; color: #fff; }
header b { margin-right: auto; font-size: 18px; }
header i { display: grid; place-items: center; width: 32px; height: 32px; border-radius: 50%; background: #3f8fa5; font-style: normal; font-size: 12px; font-weight: 600; }
main { position: relative; padding: 22px ${EDGE}px; }
h1 { margin: 0 0 24px; padding-right: ${WIDE + EDGE}px; font-size: 24px; line-height: 44px; white-space: nowrap; }
button { position: absolute; right: ${EDGE}px; top: ${EDGE}px; width: ${WIDE}px; height: ${HIGH}px; border: 0; border-radius: 8px; background: #12495a; color: #fff; font: inherit; font-weight: 600; }
.board { display: grid; align-items: start; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 16px; }
section { padding: 12px; border-radius: 10px; background: #e3ecec; }
h2 { margin: 0 4px 12px; font-size: 14px; color: #34535d; }
article { padding: 12px; border: 1px solid #dbe6e6; border-radius: 8px; background: #fff; }
section article { margin-top: 10px; }
article b { display: block; font-weight: 600; }
article span { color: #5d7680; font-size: 13px; }
form { position: relative; width: ${FORM.width}px; height: ${FORM.height}px; margin: ${FORM.top - 22}px auto 0; padding: 28px; border: 1px solid #dbe6e6; border-radius: 14px; background: #fff; }
form h1 { margin: 0 0 16px; padding: 0; line-height: 32px; }
label { display: block; margin-bottom: 4px; font-size: 13px; color: #34535d; }
input { display: block; width: 100%; height: 40px; margin-bottom: 14px; padding: 0 12px; border: 1px solid #a9bec4; border-radius: 8px; font: inherit; }
form button { top: auto; right: 28px; bottom: 28px; width: ${FORM.width - 56}px; }
.notice { position: fixed; right: ${EDGE}px; bottom: ${EDGE}px; width: 220px; margin: 0; padding: 12px 16px; border-radius: 8px; background: #1d6b4a; color: #fff; }
`

/** Title and button of each page. */
const PAGES: Record<string, [title: string, button: string]> = {
  '/login': ['Welcome back', 'Log in'],
  '/signup': ['Create your account', 'Sign up'],
  '/app/welcome': ['Welcome aboard', 'Start'],
  '/app/board': ['Berths, December', 'New task'],
  '/app/tasks': ['My tasks', 'Comment'],
  '/app/projects': ['Projects', 'New project'],
  '/app/search': ['Search', 'Search'],
  '/app/reports': ['Reports', 'Export'],
  '/app/team': ['Team', 'Invite'],
  '/app/billing': ['Billing', 'Change plan'],
  '/app/shop': ['Add-ons', 'Buy'],
  '/app/settings': ['Settings', 'Save']
}

type Card = readonly [head: string, words: string]

const BOARD: Record<string, Card[]> = {
  'To do': [
    ['Repaint the pier', 'Due on Friday'],
    ['Order new ropes', 'Yard, 3 comments'],
    ['Tide tables for spring', 'No date yet']
  ],
  Doing: [
    ['Fix the crane', 'Blocked by a part'],
    ['Crew list', '12 of 14 have answered']
  ],
  Waiting: [
    ['Permit for the regatta', 'City, since Monday'],
    ['Quote for the buoys', '2 comments']
  ],
  Done: [
    ['Berth 14', 'Moved to Tuesday'],
    ['Winter storage', 'All boats placed'],
    ['Fuel delivery', '4,000 litres']
  ]
}

/** Whether a page is a form without navigation. */
const isForm = (path: string): boolean => !path.startsWith('/app/')

/** Returns the middle of a page's button, pixels of the page. */
export const buttonOf = ({ path, width }: Pick<View, 'path' | 'width'>) =>
  isForm(path)
    ? { x: Math.round(width / 2), y: HEADER + FORM.top + FORM.height - 28 - HIGH / 2 }
    : { x: width - EDGE - WIDE / 2, y: HEADER + EDGE + HIGH / 2 }

/** Draws a page as rrweb records it: a document with an id for each node. */
export function drawPage({ path, name, company }: View): JsonObject {
  let last = BUTTON
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
  const field = (label: string, type: string) => [
    element('label', {}, text(label)),
    // The recorder masks what people type.
    element('input', { type, value: '*'.repeat(label.length + 4) })
  ]
  const [title, words] = PAGES[path] ?? ['Harbour', 'Go on']
  const heading = element('h1', {}, text(title))
  const button = { ...element('button', { type: 'button' }, text(words)), id: BUTTON }
  const form = () => {
    const fields = path === '/login' ? [] : field('Name', 'text')
    const more = [...field('Work e-mail', 'email'), ...field('Password', 'password')]
    return element('form', {}, heading, ...fields, ...more, button)
  }
  const list = (cards: Card[]) =>
    cards.map(([head, below]) =>
      element('article', {}, element('b', {}, text(head)), element('span', {}, text(below)))
    )
  const board = () =>
    path === '/app/board'
      ? Object.entries(BOARD).map(([column, cards]) =>
          element('section', {}, element('h2', {}, text(column)), ...list(cards))
        )
      : list(Object.values(BOARD).flat())
  const content = isForm(path)
    ? [form()]
    : [heading, button, element('div', { class: 'board' }, ...board())]
  const initials = name.split(' ').map((part) => part.slice(0, 1))
  const who = isForm(path)
    ? []
    : [element('span', {}, text(company)), element('i', {}, text(initials.join('').slice(0, 2)))]
  const page = element(
    'html',
    { lang: 'en' },
    element('head', {}, element('style', { _cssText: STYLE })),
    element('body', {}, element('header', {}, element('b', {}, text('Harbour')), ...who), {
      ...element('main', {}, ...content),
      id: MAIN
    })
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
