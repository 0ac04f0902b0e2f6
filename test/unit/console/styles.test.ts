import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const CONSOLE = join(import.meta.dirname, '../../../console')
/** Folders with parts that several pages use. */
const SHARED = ['chart', 'filters', 'insights']
const folders = readdirSync(CONSOLE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const pages = folders.filter((name) => !SHARED.includes(name))

/** Returns the text of a folder's files with this ending. */
const textOf = (folder: string, end: string): string =>
  readdirSync(join(CONSOLE, folder))
    .filter((file) => file.endsWith(end))
    .map((file) => readFileSync(join(CONSOLE, folder, file), 'utf8'))
    .join('\n')

/** Returns the classes with which a rule begins, without anything that limits it to a page: `.tabs a`. */
function bareClasses(css: string): Set<string> {
  const selectors = [...css.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) =>
    list.split(/,(?![^(]*\))/)
  )
  return new Set(selectors.flatMap((one) => /^\s*\.([\w-]+)(?:[\s:>~+[]|$)/.exec(one)?.[1] ?? []))
}

/** Returns the classes that a folder's components give to elements. */
const usedIn = (folder: string): Set<string> =>
  new Set(
    [...textOf(folder, '.tsx').matchAll(/class=(?:"([^"]*)"|\{`([^`]*)`\})/g)].flatMap(
      ([, plain = '', composed = '']) =>
        `${plain} ${composed.replace(/\$\{[^}]*\}/g, ' ')}`.split(/\s+/)
    )
  )

// All style sheets are in force on every page.
it('no page changes the looks of another', () => {
  const base = bareClasses(readFileSync(join(CONSOLE, 'console.css'), 'utf8'))
  const used = new Map(pages.map((page) => [page, usedIn(page)]))

  const strange = pages.flatMap((page) =>
    [...bareClasses(textOf(page, '.css'))]
      .filter((name) => !base.has(name))
      .flatMap((name) =>
        pages
          .filter((other) => other !== page && used.get(other)?.has(name))
          .map((other) => `.${name} of ${page} in ${other}`)
      )
  )

  expect(strange).toEqual([])
})
