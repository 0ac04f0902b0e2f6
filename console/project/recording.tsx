import { Check, Field, Typed } from '../fields.tsx'
import { SettingsForm } from './form.tsx'
import { Section } from './section.tsx'

/** Reads a whole number of a field; null for an empty one. */
const wholeOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** `25` percent → `0.25`; null for all. */
const rateOf = (percent: number | null): string | null =>
  percent === null || percent === 100 ? null : String(percent / 100)

/** What SDKs record and send, and for how long recordings are kept. */
export const Recording = () => (
  <Section
    title="Recordings and capture"
    words="Pages follow a change when they are opened again, within half a minute."
  >
    <SettingsForm
      names={[
        'session_recording_sample_rate',
        'session_recording_minimum_duration_milliseconds',
        'recording_retention_days'
      ]}
    >
      {({ values, change, faultOf }) => (
        <>
          <Check
            label="Record visits"
            hint="Only pages with the snippet are recorded, and inputs are masked."
            isOn={values.session_recording_opt_in}
            turn={(isOn) => change({ session_recording_opt_in: isOn })}
          />
          <Field
            label="Share of visits that are recorded, in percent"
            fault={faultOf('session_recording_sample_rate')}
          >
            {(joined) => (
              <Typed
                {...joined}
                type="number"
                min={0}
                max={100}
                value={Math.round(Number(values.session_recording_sample_rate ?? 1) * 10_000) / 100}
                commit={(text) => change({ session_recording_sample_rate: rateOf(wholeOf(text)) })}
              />
            )}
          </Field>
          <Field
            label="Shortest visit that is recorded, in seconds"
            hint="0 records all visits; at most 30."
            fault={faultOf('session_recording_minimum_duration_milliseconds')}
          >
            {(joined) => (
              <Typed
                {...joined}
                type="number"
                min={0}
                max={30}
                value={(values.session_recording_minimum_duration_milliseconds ?? 0) / 1_000}
                commit={(text) => {
                  const seconds = wholeOf(text)
                  change({
                    session_recording_minimum_duration_milliseconds: seconds
                      ? Math.round(seconds * 1_000)
                      : null
                  })
                }}
              />
            )}
          </Field>
          <Field
            label="Days for which recordings are kept"
            hint="Empty for the setting of this service. Longer than before keeps what is not deleted yet."
            fault={faultOf('recording_retention_days')}
          >
            {(joined) => (
              <Typed
                {...joined}
                type="number"
                min={1}
                value={values.recording_retention_days ?? ''}
                commit={(text) => change({ recording_retention_days: wholeOf(text) })}
              />
            )}
          </Field>
          <Check
            label="Console messages in recordings"
            isOn={values.capture_console_log_opt_in}
            turn={(isOn) => change({ capture_console_log_opt_in: isOn })}
          />
          <Check
            label="Clicks and mouse moves, for heatmaps"
            isOn={values.heatmaps_opt_in}
            turn={(isOn) => change({ heatmaps_opt_in: isOn })}
          />
          <Check
            label="Loading times of pages"
            isOn={values.autocapture_web_vitals_opt_in}
            turn={(isOn) => change({ autocapture_web_vitals_opt_in: isOn })}
          />
          <Check
            label="Errors of pages"
            isOn={values.autocapture_exceptions_opt_in}
            turn={(isOn) => change({ autocapture_exceptions_opt_in: isOn })}
          />
        </>
      )}
    </SettingsForm>
  </Section>
)
