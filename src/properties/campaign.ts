/** URL parameters that identify a campaign. SDKs send each as the property of the same name. */
export const UTM_PARAMETERS = [
  'utm_source',
  'utm_campaign',
  'utm_medium',
  'utm_term',
  'utm_content'
] as const

/** URL parameters in which advertising networks send the id of a click. */
export const CLICK_IDS = [
  'gclid',
  'gad_source',
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'fbclid',
  'msclkid',
  'twclid',
  'li_fat_id',
  'mc_cid',
  'igshid',
  'ttclid',
  '_kx',
  'irclid'
] as const
