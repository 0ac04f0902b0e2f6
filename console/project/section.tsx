import type { ComponentChildren } from 'preact'

type SectionProps = {
  title: string
  words?: ComponentChildren
  /** The buttons beside the title. */
  deeds?: ComponentChildren
  children: ComponentChildren
}

export const Section = ({ title, words, deeds, children }: SectionProps) => (
  <section>
    <div class="section-h">
      <div class="grow">
        <h2>{title}</h2>
        {words && <p>{words}</p>}
      </div>
      {deeds}
    </div>
    {children}
  </section>
)
