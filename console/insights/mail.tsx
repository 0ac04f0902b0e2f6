import { useEffect, useRef } from 'preact/hooks'

/** The elements of an e-mail. Anything else is left out. */
const TAGS = 'DIV TABLE TBODY TR TD H1 H2 SPAN BDI B BR IMG A'.split(' ')

/** Their attributes. Links lead nowhere in a preview. */
const ATTRIBUTES =
  'class dir role width height align valign colspan cellpadding cellspacing alt'.split(' ')

/**
 * Copies an element of an e-mail. The policy of the console refuses styles in markup, so they are
 * set one by one.
 */
function copy(source: Element): HTMLElement {
  const made = document.createElement(TAGS.includes(source.tagName) ? source.tagName : 'div')
  for (const name of ATTRIBUTES) {
    const value = source.getAttribute(name)
    if (value !== null) {
      made.setAttribute(name, value)
    }
  }
  made.style.cssText = source.getAttribute('data-style') ?? ''
  const picture = source.getAttribute('src') ?? ''
  if (picture.startsWith('data:image/')) {
    made.setAttribute('src', picture)
  }
  made.append(
    ...[...source.childNodes].flatMap((child): Node[] => {
      if (child instanceof Element) {
        return [copy(child)]
      }
      return child instanceof Text ? [document.createTextNode(child.data)] : []
    })
  )
  return made
}

/** Shows an e-mail as mail programs do, within this page. */
export function Mail({ html, label }: { html: string; label: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' })
    const page = new DOMParser().parseFromString(
      html.replace(/<style>[\s\S]*?<\/style>/, '').replaceAll(' style="', ' data-style="'),
      'text/html'
    )
    const [, styles = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    if (root) {
      root.adoptedStyleSheets = [sheet]
      root.replaceChildren(copy(page.body))
    }
  }, [html])
  return <div ref={host} class="mail" role="document" aria-label={label} />
}
