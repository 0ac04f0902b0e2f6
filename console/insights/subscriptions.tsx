import { useSignal } from '@preact/signals'
import { call } from '../api.ts'
import { Choice, Field, Select, Typed } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Fault, Moment, Name, Skeleton } from '../parts.tsx'
import { may, project } from '../session.ts'
import { dayOf, longDay, timeOf } from '../words.ts'
import { FormDialog } from './form-dialog.tsx'
import { Mail } from './mail.tsx'
import { type FormProps, Manage } from './manage.tsx'
import { channelOf, Recipients, type TargetType } from './recipients.tsx'
import { put, useSaving } from './saving.ts'
import {
  type ApiSchedule,
  fromSchedule,
  MONTH_DAYS,
  NEW_RHYTHM,
  type Rhythm,
  toSchedule,
  WEEK
} from './schedule.ts'
import type { Subject } from './subject.ts'

type Subscription = ApiSchedule & {
  id: number
  target_type: TargetType
  target_value: string
  title: string | null
  summary: string
  timezone: string
  next_delivery_date: string | null
  invite_message: string | null
  enabled: boolean
  paused_reason: string | null
  webhook_secret?: string
}

type Preview = {
  summary: string
  results: string[]
  email: { subject: string; html: string; text: string } | null
  body: object | null
  warning: string | null
}

/** Lists the subscriptions to an insight or a dashboard, and edits them. */
export function Subscriptions({ subject, close }: { subject: Subject; close: () => void }) {
  const { kind, id } = subject
  return (
    <Manage<Subscription>
      title={`Subscriptions to the ${kind}`}
      noun="subscription"
      subject={subject}
      path="subscriptions/"
      query={{ [kind]: String(id), limit: '100' }}
      isWriter={may('subscription:write')}
      empty="Nobody is subscribed."
      describe={(item) => ({
        title: <Name>{item.title || channelOf(item.target_type, item.target_value)}</Name>,
        more: (
          <>
            {item.title && `${channelOf(item.target_type, item.target_value)}, `}
            {item.summary}
            {item.next_delivery_date && (
              <>
                {' · next '}
                <Moment at={item.next_delivery_date} />
              </>
            )}
            {item.paused_reason && ` · ${item.paused_reason}`}
          </>
        ),
        tag: !item.enabled && <span class="tag warn">Paused</span>
      })}
      choices={(item, run) => [
        {
          name: 'Send a test now',
          icon: 'mail',
          run: () =>
            run('A test is on its way', () => call('POST', `subscriptions/${item.id}/test/`))
        },
        {
          name: item.enabled ? 'Pause' : 'Resume',
          icon: item.enabled ? 'pause' : 'play',
          run: () =>
            run(item.enabled ? 'The subscription is paused' : 'The subscription is resumed', () =>
              call('PATCH', `subscriptions/${item.id}/`, { body: { enabled: !item.enabled } })
            )
        }
      ]}
      remove={({ id }) => call('DELETE', `subscriptions/${id}/`)}
      Form={Form}
      close={close}
    />
  )
}

/** The fields of the form, and what they say in those of the API. */
function useDraft(item: Subscription | undefined, { kind, id }: Subject) {
  const type = useSignal<TargetType>(item?.target_type ?? 'email')
  const target = useSignal(item?.target_value ?? '')
  const title = useSignal(item?.title ?? '')
  const invite = useSignal(item?.invite_message ?? '')
  const rhythm = useSignal<Rhythm | undefined>(item ? rhythmOf(item) : NEW_RHYTHM)
  const timezone = project.value?.timezone
  const body = {
    [kind]: id,
    target_type: type.value,
    target_value: target.value,
    title: title.value.trim() || null,
    invite_message: invite.value.trim() || null,
    ...(rhythm.value && { ...toSchedule(rhythm.value, dayOf(new Date())), timezone })
  }
  return { type, target, title, invite, rhythm, body }
}

/** Reads the schedule of a subscription into the form, if it has fields for it. */
const rhythmOf = (item: Subscription): Rhythm | undefined =>
  item.timezone === project.value?.timezone
    ? fromSchedule(item, timeOf(new Date(item.start_date)))
    : undefined

function Form({ item, done, back, subject }: FormProps<Subscription>) {
  const { type, target, title, invite, rhythm, body } = useDraft(item, subject)
  const finish = () => done(item ? 'The subscription is saved' : 'The subscription is made')
  const saving = useSaving(finish)
  return (
    <FormDialog
      id="subscription"
      title={item ? 'Edit the subscription' : `Subscribe to the ${subject.kind}`}
      words={subject.name}
      deed={item ? 'Save the subscription' : 'Subscribe'}
      send={() => saving.save(() => put('subscriptions/', item?.id, body))}
      back={back}
      finish={finish}
      saving={saving}
      shown={['target_value']}
      look={
        may('subscription:write') && <Look draft={item ? { ...scheduleOf(item), ...body } : body} />
      }
    >
      {subject.isFixed && (
        <div class="note warn">
          <Icon name="warning" />
          <p>
            The dates of the insight are fixed, so each message shows the same numbers. Choose a
            period that moves, such as “Last 30 days”, and save the insight.
          </p>
        </div>
      )}
      <Recipients type={type} target={target} fault={saving.faultOf('target_value')} />
      {rhythm.value ? (
        <RhythmFields
          rhythm={rhythm.value}
          change={(changed) => {
            rhythm.value = changed
          }}
        />
      ) : (
        <p class="note">The schedule, {item?.summary}, was made by the API. It stays as it is.</p>
      )}
      <Field label="Title" hint="Without one, the name of what is sent.">
        {(joined) => (
          <Typed
            {...joined}
            maxLength={100}
            placeholder={subject.name}
            value={title.value}
            commit={(text) => {
              title.value = text
            }}
          />
        )}
      </Field>
      <Field label="Words of yours" hint="They stand in the first message only.">
        {(joined) => (
          <Typed
            {...joined}
            rows={2}
            maxLength={10_000}
            value={invite.value}
            commit={(text) => {
              invite.value = text
            }}
          />
        )}
      </Field>
    </FormDialog>
  )
}

/** The schedule of a subscription, as a new one would be given it. */
const scheduleOf = ({
  frequency,
  interval,
  byweekday,
  bysetpos,
  count,
  start_date,
  until_date,
  timezone
}: Subscription) => ({
  frequency,
  interval,
  byweekday,
  bysetpos,
  count,
  start_date,
  until_date,
  timezone
})

const FREQUENCIES = [
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly']
] as const

type RhythmProps = { rhythm: Rhythm; change: (rhythm: Rhythm) => void }

function RhythmFields({ rhythm, change }: RhythmProps) {
  const { frequency, days, day, time } = rhythm
  return (
    <>
      <div class="row fields-row">
        <Choice
          label="How often"
          options={FREQUENCIES}
          value={frequency}
          choose={(chosen) => change({ ...rhythm, frequency: chosen })}
        />
        <Field label="At">
          {(joined) => (
            <Typed
              {...joined}
              type="time"
              required
              value={time}
              commit={(text) => change({ ...rhythm, time: text || time })}
            />
          )}
        </Field>
      </div>
      {frequency === 'weekly' && (
        <div class="field">
          <span class="l">On</span>
          <fieldset class="seg" aria-label="Days of the week">
            {WEEK.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={days.includes(one)}
                title={one}
                onClick={() => {
                  const chosen = days.includes(one)
                    ? days.filter((other) => other !== one)
                    : [...days, one]
                  change({ ...rhythm, days: chosen.length > 0 ? chosen : days })
                }}
              >
                {one.slice(0, 1).toUpperCase() + one.slice(1, 3)}
              </button>
            ))}
          </fieldset>
        </div>
      )}
      {frequency === 'monthly' && (
        <Select
          label="On"
          options={Object.entries(MONTH_DAYS).map(([key, { name }]) => [key, name] as const)}
          value={day}
          choose={(chosen) => change({ ...rhythm, day: chosen })}
        />
      )}
    </>
  )
}

/** Shows when a draft would be delivered, and its first message. */
function Look({ draft }: { draft: Record<string, unknown> & { target_value?: string } }) {
  const { target_value, ...rest } = draft
  const body = target_value ? draft : rest
  const { data, error } = useLoaded(JSON.stringify(body), (signal) =>
    call<Preview>('POST', 'subscriptions/preview/', { query: { n: '3' }, body, signal })
  )
  return (
    <section class="look" aria-label="How it will be">
      <h3>The next ones</h3>
      {/* What is wrong with the address is said at its field, once it is sent. */}
      {error && error.attr !== 'target_value' && <Fault error={error} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && (
        <>
          <ol class="nexts">
            {data.results.map((time) => (
              <li key={time}>
                <time dateTime={time}>
                  {longDay(new Date(time))}, {timeOf(new Date(time))}
                </time>
              </li>
            ))}
          </ol>
          <p class="mut small-text">On the clock of {project.value?.timezone}</p>
          {data.warning && (
            <div class="note warn">
              <Icon name="warning" />
              <p>{data.warning}</p>
            </div>
          )}
          {(data.email || data.body) && <h3>The first one, with the numbers of now</h3>}
          {data.email && (
            <div class="framed-mail">
              <p class="subject cut">
                <Name>{data.email.subject}</Name>
              </p>
              <Mail html={data.email.html} label="The e-mail" />
            </div>
          )}
          {data.body && <pre class="code">{JSON.stringify(data.body, null, 2)}</pre>}
        </>
      )}
    </section>
  )
}
