/** The names that SDKs give to events, in plain words. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['$pageview', 'Page view'],
  ['$pageleave', 'Page left'],
  ['$screen', 'Screen view'],
  ['$autocapture', 'Click or input'],
  ['$rageclick', 'Rage click'],
  ['$dead_click', 'Dead click'],
  ['$exception', 'Error'],
  ['$identify', 'Identified'],
  ['$set', 'Properties set'],
  ['$create_alias', 'Ids linked'],
  ['$groupidentify', 'Group identified'],
  ['$feature_flag_called', 'Feature flag read'],
  ['$web_vitals', 'Web vitals'],
  ['$heatmap', 'Heatmap'],
  ['$opt_in', 'Opted in'],
  ['$copy_autocapture', 'Text copied'],
  ['Application Installed', 'App installed'],
  ['Application Updated', 'App updated'],
  ['Application Opened', 'App opened'],
  ['Application Became Active', 'App became active'],
  ['Application Backgrounded', 'App in background']
])

/**
 * Returns the name of an event in plain words: `$pageview` is a `Page view`. A name of the user's
 * own stays as it was sent.
 */
export const plainName = (event: string): string => NAMES.get(event) ?? event
