import { useSignal } from '@preact/signals'
import { call } from '../api.ts'
import { Choice, Field } from '../fields.tsx'
import { Dialog, Fault, Moment, Name } from '../parts.tsx'
import { may } from '../session.ts'
import { dayOf, timeOf } from '../words.ts'
import { type FormProps, Manage } from './manage.tsx'
import { put, useSaving } from './saving.ts'
import type { Subject } from './subject.ts'

type Annotation = {
  id: number
  content: string | null
  date_marker: string | null
  scope: 'dashboard_item' | 'dashboard' | 'project'
  dashboard_item: number | null
  dashboard_id: number | null
}

type Props = { subject: Subject; changed?: (() => void) | undefined; close: () => void }

/** Lists the annotations that the charts of an insight or a dashboard show, and edits them. */
export function Annotations({ subject, changed, close }: Props) {
  const { kind, id } = subject
  return (
    <Manage<Annotation>
      title={`Annotations of the ${kind}`}
      noun="annotation"
      subject={subject}
      path="annotations/"
      query={{}}
      isShown={({ scope, dashboard_item, dashboard_id }) =>
        scope === 'project' ||
        (kind === 'insight' && scope === 'dashboard_item' && dashboard_item === id) ||
        (kind === 'dashboard' && scope === 'dashboard' && dashboard_id === id)
      }
      isWriter={may('annotation:write')}
      empty="There are no annotations."
      describe={({ content, date_marker, scope }) => ({
        title: <Name>{content ?? ''}</Name>,
        more: (
          <>
            {date_marker ? <Moment at={date_marker} /> : 'Without a date'} ·{' '}
            {scope === 'project' ? 'on all charts' : `on this ${kind}`}
          </>
        )
      })}
      remove={({ id }) => call('PATCH', `annotations/${id}/`, { body: { deleted: true } })}
      Form={Form}
      changed={changed}
      close={close}
    />
  )
}

const localOf = (date: Date): string => `${dayOf(date)}T${timeOf(date)}`

function Form({ item, done, back, subject }: FormProps<Annotation>) {
  const { kind, id } = subject
  const own = kind === 'insight' ? 'dashboard_item' : 'dashboard'
  const text = useSignal(item?.content ?? '')
  const date = useSignal(localOf(item?.date_marker ? new Date(item.date_marker) : new Date()))
  const scope = useSignal<Annotation['scope']>(item?.scope ?? own)
  const saving = useSaving(() =>
    done(item ? 'The annotation is saved' : 'The annotation is on the chart')
  )
  const send = (event: Event) => {
    event.preventDefault()
    const body = {
      content: text.value.trim(),
      date_marker: date.value,
      scope: scope.value,
      ...(scope.value === 'dashboard_item' && { dashboard_item: id }),
      ...(scope.value === 'dashboard' && { dashboard_id: id })
    }
    return saving.save(() => put('annotations/', item?.id, body))
  }
  const fault = saving.faultBeside('content', 'date_marker')
  return (
    <Dialog
      title={item ? 'Edit the annotation' : 'Annotate'}
      words={subject.name}
      close={back}
      footer={
        <>
          <button type="button" class="b" onClick={back}>
            Cancel
          </button>
          <button type="submit" form="annotation" class="b main-b">
            Save the annotation
          </button>
        </>
      }
    >
      <form id="annotation" class="stack" onSubmit={send}>
        <Field
          label="Text"
          hint="Everybody who sees such a chart can read it, also behind a shared link."
          fault={saving.faultOf('content')}
        >
          {(joined) => (
            <input
              {...joined}
              required
              maxLength={400}
              placeholder="New pricing page"
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value
              }}
            />
          )}
        </Field>
        <Field label="Date" fault={saving.faultOf('date_marker')}>
          {(joined) => (
            <input
              {...joined}
              type="datetime-local"
              required
              value={date.value}
              onInput={(event) => {
                date.value = event.currentTarget.value
              }}
            />
          )}
        </Field>
        <Choice
          label="Where"
          options={[
            [own, `This ${kind}`],
            ['project', 'All charts of the project']
          ]}
          value={scope.value}
          choose={(chosen) => {
            scope.value = chosen
          }}
        />
        {fault && <Fault error={fault} />}
      </form>
    </Dialog>
  )
}
