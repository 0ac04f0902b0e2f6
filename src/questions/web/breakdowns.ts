import type { Property } from '../../properties/filter.ts'

/** What a table has a row for. */
export type WebBreakdown = {
  /** With several, the value of a row is a list. */
  properties: readonly [Property, ...Property[]]
  /** Whether views without a value have a row. */
  showsNull: boolean
}

const ofEvent = (...keys: [string, ...string[]]): WebBreakdown => {
  const [first, ...others] = keys
  const property = (key: string): Property => ({ type: 'event', key })
  return { properties: [property(first), ...others.map(property)], showsNull: true }
}

const ofSession = (key: string): WebBreakdown => ({
  properties: [{ type: 'session', key }],
  showsNull: true
})

const withoutNull = (breakdown: WebBreakdown): WebBreakdown => ({ ...breakdown, showsNull: false })

/** By the `breakdownBy` of a `WebStatsTableQuery`. */
export const WEB_BREAKDOWNS = {
  Page: withoutNull(ofEvent('$pathname')),
  InitialPage: withoutNull(ofSession('$entry_pathname')),
  ExitPage: withoutNull(ofSession('$end_pathname')),
  ExitClick: withoutNull(ofSession('$last_external_click_url')),
  ScreenName: withoutNull(ofEvent('$screen_name')),
  InitialChannelType: ofSession('$channel_type'),
  InitialReferringDomain: ofSession('$entry_referring_domain'),
  InitialReferringURL: ofSession('$entry_referrer'),
  InitialUTMSource: ofSession('$entry_utm_source'),
  InitialUTMMedium: ofSession('$entry_utm_medium'),
  InitialUTMCampaign: ofSession('$entry_utm_campaign'),
  InitialUTMTerm: ofSession('$entry_utm_term'),
  InitialUTMContent: ofSession('$entry_utm_content'),
  Browser: ofEvent('$browser'),
  OS: ofEvent('$os'),
  DeviceType: ofEvent('$device_type'),
  Country: ofEvent('$geoip_country_code'),
  Region: ofEvent('$geoip_country_code', '$geoip_subdivision_1_code', '$geoip_subdivision_1_name'),
  City: ofEvent('$geoip_country_code', '$geoip_city_name'),
  Language: ofEvent('$browser_language')
} satisfies Record<string, WebBreakdown>

export type WebBreakdownName = keyof typeof WEB_BREAKDOWNS

// The cast is safe: the table has no other keys.
export const WEB_BREAKDOWN_NAMES = Object.keys(WEB_BREAKDOWNS) as WebBreakdownName[]
