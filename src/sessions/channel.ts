/**
 * The marketing channels through which visitors come. The first matching rule decides; the rules
 * are PostHog's (posthog.com/docs/data/channel-type). Our additions are the lists of the most
 * frequent sources, the values `organic` and `sms` of `utm_medium`, and `Referral` for any other
 * referring domain.
 */
export const CHANNELS = [
  'Cross Network',
  'Paid Search',
  'Paid Social',
  'Paid Video',
  'Paid Shopping',
  'Paid Unknown',
  'Direct',
  'Organic Search',
  'Organic Social',
  'Organic Video',
  'Organic Shopping',
  'Push',
  'SMS',
  'Audio',
  'Email',
  'Referral',
  'Affiliate',
  'Display',
  'Unknown'
] as const
export type ChannelType = (typeof CHANNELS)[number]

type Kind = 'Search' | 'Social' | 'Video' | 'Shopping'

const KINDS: Record<Kind, RegExp> = {
  Search:
    /^(google|bing|yahoo|duckduckgo|yandex|baidu|ecosia|qwant|startpage|brave|naver|daum|seznam|sogou|ask|aol|kagi|perplexity|adwords)$/,
  Social:
    /^(facebook|fb|instagram|ig|twitter|x|linkedin|lnkd|reddit|redd|pinterest|pin|threads|bsky|bluesky|mastodon|snapchat|whatsapp|wa|telegram|discord|quora|tumblr|vk|weibo|wechat|xing|messenger|ycombinator|hackernews|producthunt|nextdoor|mstdn|viber)$/,
  Video:
    /^(youtube|youtu|vimeo|tiktok|twitch|dailymotion|netflix|hulu|disneyplus|bilibili|rumble)$/,
  Shopping:
    /^(amazon|ebay|etsy|alibaba|aliexpress|walmart|shopify|shopping|bestbuy|mercadolibre|rakuten|temu|shein|zalando|wayfair|idealo|flipkart)$/
}

/** The public suffix of a host, roughly; the label before it is the name of the site. */
const ENDING = /(\.(com?|org|net|ac|gov|edu))?\.[a-z]{2,}$/

type Visit = {
  $entry_referring_domain?: string | undefined
  $entry_utm_source?: string | undefined
  $entry_utm_medium?: string | undefined
  $entry_utm_campaign?: string | undefined
  $entry_gclid?: string | undefined
  $entry_gad_source?: string | undefined
}

/** Returns the channel of a session from the properties of its first page, ignoring case. */
export function channelOf(visit: Visit): ChannelType {
  const domain = fold(visit.$entry_referring_domain)
  const source = fold(visit.$entry_utm_source)
  const medium = fold(visit.$entry_utm_medium)
  const campaign = fold(visit.$entry_utm_campaign)
  const [gclid, gadSource] = [visit.$entry_gclid, visit.$entry_gad_source]

  if (campaign === 'cross-network') {
    return 'Cross Network'
  }
  const kind = kindOf(sourceName(source)) ?? kindOf(hostName(domain))
  if (/^(cp[cmva]|ppc|retargeting|paid.*)$/.test(medium) || gclid || gadSource) {
    return kind ? `Paid ${kind}` : paid(medium, campaign, gadSource)
  }
  if (domain === '$direct' && medium === '' && /^(|\(?direct\)?)$/.test(source)) {
    return 'Direct'
  }
  return (
    organic(kindOf(sourceName(source))) ??
    bySource(source) ??
    organic(kindOf(hostName(domain))) ??
    (isShopping(campaign) ? 'Organic Shopping' : undefined) ??
    byMedium(medium) ??
    (campaign.includes('video') ? 'Organic Video' : undefined) ??
    (medium.endsWith('push') ? 'Push' : undefined) ??
    (domain !== '' && domain !== '$direct' ? 'Referral' : 'Unknown')
  )
}

const fold = (text: string | undefined): string => (text ?? '').trim().toLowerCase()

function kindOf(name: string): Kind | undefined {
  if (name === '') {
    return undefined
  }
  for (const kind of ['Search', 'Social', 'Video', 'Shopping'] as const) {
    if (KINDS[kind].test(name)) {
      return kind
    }
  }
  return undefined
}

function paid(medium: string, campaign: string, gadSource: string | undefined): ChannelType {
  if (isShopping(campaign)) {
    return 'Paid Shopping'
  }
  if (isSocial(medium)) {
    return 'Paid Social'
  }
  if (medium === 'video') {
    return 'Paid Video'
  }
  if (isDisplay(medium)) {
    return 'Display'
  }
  if (gadSource === '1') {
    return 'Paid Search'
  }
  return campaign.includes('video') ? 'Paid Video' : 'Paid Unknown'
}

const organic = (kind: Kind | undefined): ChannelType | undefined => kind && `Organic ${kind}`

/**
 * Returns the name of a site: `www.google.co.uk` → `google`, `news.ycombinator.com` →
 * `ycombinator`; `''` for other text.
 */
const hostName = (host: string): string => {
  if (host === 't.co') {
    return 'twitter'
  }
  const name = host.replace(/:\d+$/, '').replace(ENDING, '')
  return name === host ? '' : (name.split('.').at(-1) ?? '')
}

/** Returns the name of a source, which is a host or a name: `facebook_ads` → `facebook`. */
const sourceName = (source: string): string => hostName(source) || source.replace(/[-_ ]?ads$/, '')

/** PostHog's rule for shops: `shop`, `eshop` and `shopping` are, `workshop` is not. */
const isShopping = (campaign: string): boolean => /([^a-df-z]|^)shop|shopping/.test(campaign)
const isSocial = (medium: string): boolean => /^(sm|social([-_ ](network|media))?)$/.test(medium)
const isDisplay = (medium: string): boolean =>
  /^(display|banner|expandable|interstitial|cpm)$/.test(medium)
const isEmail = (text: string): boolean => /^e[-_ ]?mail$/.test(text)

function bySource(source: string): ChannelType | undefined {
  if (isEmail(source)) {
    return 'Email'
  }
  if (source === 'sms') {
    return 'SMS'
  }
  return source === 'firebase' ? 'Push' : undefined
}

function byMedium(medium: string): ChannelType | undefined {
  if (medium === 'organic') {
    return 'Organic Search'
  }
  if (isSocial(medium)) {
    return 'Organic Social'
  }
  if (medium === 'video') {
    return 'Organic Video'
  }
  if (/^affiliates?$/.test(medium)) {
    return 'Affiliate'
  }
  if (/^(referral|link|app)$/.test(medium)) {
    return 'Referral'
  }
  if (isEmail(medium)) {
    return 'Email'
  }
  if (isDisplay(medium)) {
    return 'Display'
  }
  if (medium === 'sms') {
    return 'SMS'
  }
  if (medium === 'audio') {
    return 'Audio'
  }
  return /^(push|notification|mobile)$/.test(medium) ? 'Push' : undefined
}
