import { Choice, Field, Select } from '../fields.tsx'
import { Copied } from '../parts.tsx'
import { project } from '../session.ts'
import { Snippet } from '../snippet.tsx'
import { SettingsForm } from './form.tsx'
import { Section } from './section.tsx'

const PLACES = [
  ['off', 'Not kept'],
  ['country', 'Country'],
  ['city', 'Country, region and city']
] as const

/** The name, the clock, the token and the snippet of the project. */
export const General = () => (
  <>
    <Section
      title="Settings"
      words="The clock of all numbers, and what is kept of where visitors are."
    >
      <SettingsForm names={['name', 'timezone']}>
        {({ values, change, faultOf, isFixed }) => (
          <>
            <Field label="Name" fault={faultOf('name')}>
              {(joined) => (
                <input
                  {...joined}
                  value={values.name}
                  maxLength={200}
                  onInput={(event) => change({ name: event.currentTarget.value })}
                />
              )}
            </Field>
            <Field
              label="Time zone"
              hint="Days, weeks and months begin and end on this clock."
              fault={faultOf('timezone')}
            >
              {(joined) => (
                <>
                  <input
                    {...joined}
                    value={values.timezone}
                    list="zones"
                    autocomplete="off"
                    spellcheck={false}
                    onInput={(event) => change({ timezone: event.currentTarget.value })}
                  />
                  <datalist id="zones">
                    {Intl.supportedValuesOf('timeZone').map((zone) => (
                      <option key={zone} value={zone} />
                    ))}
                  </datalist>
                </>
              )}
            </Field>
            <Choice
              label="Weeks begin on"
              options={[
                ['1', 'Monday'],
                ['0', 'Sunday']
              ]}
              value={String(values.week_start_day)}
              choose={(day) => !isFixed && change({ week_start_day: day === '1' ? 1 : 0 })}
            />
            <Select
              label="Location of visitors"
              hint="The address itself is not kept. A change applies to later events."
              options={PLACES}
              value={values.location}
              choose={(location) => change({ location })}
            />
          </>
        )}
      </SettingsForm>
    </Section>
    <Section
      title="Capture"
      words="The token is public: it is in every page that sends events, and it reads nothing."
    >
      <div class="card fields">
        <div class="field">
          <span class="l">Capture token</span>
          <Copied text={project.value?.api_token ?? ''} label="Copy the token" />
        </div>
        <Snippet />
      </div>
    </Section>
  </>
)
