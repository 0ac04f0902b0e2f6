import { useSignal } from '@preact/signals'
import { call } from '../api.ts'
import { Check, Choice, Field, Select, Typed } from '../fields.tsx'
import { useLoaded } from '../loaded.ts'
import { Empty, Fault, Moment, Name, Skeleton } from '../parts.tsx'
import { may } from '../session.ts'
import { count, dayOf, momentOf, shortDay } from '../words.ts'
import { FormDialog } from './form-dialog.tsx'
import { type FormProps, Manage } from './manage.tsx'
import { channelOf, Recipients, type TargetType } from './recipients.tsx'
import {
  type ApiRule,
  describeRule,
  fromRule,
  isChange,
  NEW_RULE,
  type Rule,
  toRule,
  WHENS
} from './rule.ts'
import { put, useSaving } from './saving.ts'
import type { Subject } from './subject.ts'

type Alert = ApiRule & {
  id: string
  name: string
  config: { series_index: number }
  calculation_interval: Interval
  skip_weekend: boolean
  enabled: boolean
  paused_reason: string | null
  target_type: TargetType
  target_value: string
  state: 'Firing' | 'Not firing' | 'Errored' | 'Snoozed'
  snoozed_until: string | null
  last_notified_at: string | null
  webhook_secret?: string
}

const INTERVALS = [
  ['every_15_minutes', 'Every 15 minutes'],
  ['hourly', 'Hourly'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly']
] as const
type Interval = (typeof INTERVALS)[number][0]

/** Lists the alerts on an insight, and edits them. */
export function Alerts({ subject, close }: { subject: Subject; close: () => void }) {
  const patch = (id: string, body: object) => call('PATCH', `alerts/${id}/`, { body })
  return (
    <Manage<Alert>
      title="Alerts on the insight"
      noun="alert"
      subject={subject}
      path="alerts/"
      query={{ insight: String(subject.id), limit: '100' }}
      isWriter={may('alert:write')}
      empty="There are no alerts."
      describe={(item) => ({
        title: <Name>{item.name || 'Alert'}</Name>,
        more: (
          <>
            {describe(item)}, {channelOf(item.target_type, item.target_value)}
            {item.last_notified_at && (
              <>
                {' · last told '}
                <Moment at={item.last_notified_at} />
              </>
            )}
            {item.paused_reason && ` · ${item.paused_reason}`}
          </>
        ),
        tag: <State {...item} />
      })}
      choices={({ id, enabled, snoozed_until }, run) => [
        snoozed_until
          ? {
              name: 'End the snooze',
              icon: 'clock',
              run: () => run('The alert is awake', () => patch(id, { snoozed_until: null }))
            }
          : {
              name: 'Snooze for a day',
              icon: 'clock',
              run: () => run('The alert sleeps for a day', () => patch(id, { snoozed_until: '1d' }))
            },
        {
          name: enabled ? 'Pause' : 'Resume',
          icon: enabled ? 'pause' : 'play',
          run: () =>
            run(enabled ? 'The alert is paused' : 'The alert is resumed', () =>
              patch(id, { enabled: !enabled })
            )
        }
      ]}
      remove={({ id }) => call('DELETE', `alerts/${id}/`)}
      Form={Form}
      close={close}
    />
  )
}

function describe(item: Alert): string {
  const rule = fromRule(item)
  const words = rule ? describeRule(rule) : 'a rule made by the API'
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const State = ({ enabled, state, snoozed_until }: Alert) => {
  if (!enabled) {
    return <span class="tag warn">Paused</span>
  }
  if (state === 'Firing') {
    return <span class="tag bad">Firing</span>
  }
  if (state === 'Errored') {
    return <span class="tag bad">Cannot be checked</span>
  }
  return state === 'Snoozed' && snoozed_until ? (
    <span class="tag">Snoozed until {momentOf(new Date(snoozed_until))}</span>
  ) : null
}

/** The fields of the form, and what they say in those of the API. */
function useDraft(item: Alert | undefined, { id, series = [], breakdown, name: subject }: Subject) {
  const name = useSignal(item?.name ?? '')
  const rule = useSignal<Rule | undefined>(item ? fromRule(item) : NEW_RULE)
  const index = useSignal(item?.config.series_index ?? 0)
  const every = useSignal<Interval>(item?.calculation_interval ?? 'daily')
  const skips = useSignal(item?.skip_weekend ?? false)
  const type = useSignal<TargetType>(item?.target_type ?? 'email')
  const target = useSignal(item?.target_value ?? '')
  const counted = series[index.value] ?? 'the number'
  const watched = breakdown ? `${counted} of any ${breakdown}` : counted
  const suggested = rule.value ? `${watched} ${describeRule(rule.value)}` : subject
  const asked = {
    insight: id,
    ...(rule.value ? toRule(rule.value) : ruleOf(item)),
    config: { type: 'TrendsAlertConfig', series_index: index.value },
    calculation_interval: every.value,
    skip_weekend: skips.value
  }
  const body = {
    ...asked,
    target_type: type.value,
    target_value: target.value,
    name: name.value.trim() || suggested.slice(0, 255)
  }
  return { name, rule, index, every, skips, type, target, watched, suggested, asked, body }
}

const ruleOf = (item: Alert | undefined) =>
  item && { condition: item.condition, threshold: item.threshold }

function Form({ item, done, back, subject }: FormProps<Alert>) {
  const { series = [], breakdown } = subject
  const draft = useDraft(item, subject)
  const { name, rule, index, every, skips, type, target, watched, suggested } = draft
  const finish = () => done(item ? 'The alert is saved' : 'The alert is on')
  const saving = useSaving(finish)
  const shown = ['target_value', 'subscribed_users']
  return (
    <FormDialog
      id="alert"
      title={item ? 'Edit the alert' : 'New alert'}
      words={subject.name}
      deed={item ? 'Save the alert' : 'Turn the alert on'}
      send={() => saving.save(() => put('alerts/', item?.id, draft.body))}
      back={back}
      finish={finish}
      saving={saving}
      shown={shown}
      look={<Past asked={draft.asked} />}
    >
      {series.length > 1 && (
        <Select
          label="Tell me when"
          options={series.map((one, i) => [String(i), one] as const)}
          value={String(index.value)}
          choose={(chosen) => {
            index.value = Number(chosen)
          }}
        />
      )}
      {rule.value ? (
        <RuleFields
          rule={rule.value}
          label={series.length > 1 ? 'Condition' : `Tell me when ${watched}`}
          change={(changed) => {
            rule.value = changed
          }}
        />
      ) : (
        <p class="note">The condition was made by the API. It stays as it is.</p>
      )}
      {breakdown && (
        <p class="note">
          <span>
            Each value of <bdi>{breakdown}</bdi> is watched by itself: the alert fires when one of
            them does. To watch all together, save the question without the breakdown.
          </span>
        </p>
      )}
      <Select
        label="Checked"
        hint="Only intervals that are over are compared: today never is."
        options={INTERVALS}
        value={every.value}
        choose={(chosen) => {
          every.value = chosen
        }}
      />
      <Check
        label="Not on Saturdays and Sundays"
        isOn={skips.value}
        turn={(isOn) => {
          skips.value = isOn
        }}
      />
      <Recipients type={type} target={target} fault={saving.faultOf(...shown)} />
      <Field label="Name" hint="The title of the message.">
        {(joined) => (
          <input
            {...joined}
            maxLength={255}
            placeholder={suggested}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value
            }}
          />
        )}
      </Field>
    </FormDialog>
  )
}

type RuleProps = { rule: Rule; label: string; change: (rule: Rule) => void }

function RuleFields({ rule, label, change }: RuleProps) {
  return (
    <>
      <div class="row fields-row">
        <Select
          label={label}
          options={WHENS}
          value={rule.when}
          choose={(when) => change({ ...rule, when })}
        />
        {rule.when !== 'none' && (
          <Field label={isChange(rule) ? 'By' : 'Number'}>
            {(joined) => (
              <Typed
                {...joined}
                type="number"
                step="any"
                min={isChange(rule) ? 0 : undefined}
                required
                value={rule.amount}
                commit={(text) => change({ ...rule, amount: text ? Number(text) : rule.amount })}
              />
            )}
          </Field>
        )}
        {isChange(rule) && (
          <Choice
            label="Unit"
            options={[
              ['percent', '%'],
              ['number', 'Number']
            ]}
            value={rule.isPercentage ? 'percent' : 'number'}
            choose={(unit) => change({ ...rule, isPercentage: unit === 'percent' })}
          />
        )}
      </div>
      {isChange(rule) && (
        <Choice
          label="Compared with"
          options={[
            ['previous_interval', 'The interval before'],
            ['same_weekday', 'A week before']
          ]}
          value={rule.compareTo}
          choose={(compareTo) => change({ ...rule, compareTo })}
        />
      )}
    </>
  )
}

type Fired = {
  at: string
  over_at: string | null
  calculated_value: number | null
  description: string
}
type Preview = { checks: number; fired: Fired[] }

/** Days that the preview looks at. */
const DAYS = 30

const DAY_MS = 86_400_000

/** Shows when an alert would have fired in the last 30 days. */
function Past({ asked }: { asked: object }) {
  const { data, error } = useLoaded(JSON.stringify(asked), (signal) =>
    call<Preview>('POST', 'alerts/preview/', { body: asked, signal })
  )
  return (
    <section class="look" aria-label="The last 30 days">
      <h3>In the last 30 days</h3>
      {error && <Fault error={error} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && !error && (
        <>
          <p>{saysOf(data)}</p>
          <Strip fired={data.fired} />
          {data.fired.length === 0 ? (
            <Empty title="It would have told nothing.">
              <p class="sec">The condition may be too strict, or the days were quiet.</p>
            </Empty>
          ) : (
            <ol class="fired">
              {data.fired.toReversed().map(({ at, over_at, description }) => (
                <li key={at}>
                  <span class="mut nowrap">
                    <Moment at={at} />
                  </span>
                  <span>
                    <bdi>{description}</bdi>
                    {over_at && (
                      <span class="mut">
                        {' '}
                        Over: <Moment at={over_at} />
                      </span>
                    )}
                  </span>
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </section>
  )
}

function saysOf({ checks, fired }: Preview): string {
  const times = fired.length === 1 ? 'once' : `${count(fired.length)} times`
  return fired.length === 0
    ? `It would not have fired in ${count(checks)} checks.`
    : `It would have fired ${times} in ${count(checks)} checks.`
}

/** A cell for each of the last days; those on which the alert fired are marked. */
function Strip({ fired }: { fired: Fired[] }) {
  const now = Date.now()
  const days = Array.from({ length: DAYS }, (_, i) => new Date(now - (DAYS - 1 - i) * DAY_MS))
  const marked = new Set(fired.map(({ at }) => dayOf(new Date(at))))
  const [first = new Date(now)] = days
  return (
    <div aria-hidden="true">
      <svg
        class="strip"
        aria-hidden="true"
        viewBox={`0 0 ${DAYS * 10} 20`}
        preserveAspectRatio="none"
      >
        {days.map((day, i) => (
          <rect
            key={i}
            class={marked.has(dayOf(day)) ? 'is-on' : ''}
            x={i * 10 + 1}
            y={0}
            width={8}
            height={20}
            rx={2}
          />
        ))}
      </svg>
      <p class="row mut small-text">
        <span>{shortDay(first)}</span>
        <span class="grow" />
        <span>Today</span>
      </p>
    </div>
  )
}
