import { expect, it } from 'vitest'
import { channelOf } from '../../../src/sessions/channel.ts'

const visit = (domain?: string, source?: string, medium?: string, campaign?: string) => ({
  $entry_referring_domain: domain,
  $entry_utm_source: source,
  $entry_utm_medium: medium,
  $entry_utm_campaign: campaign
})

it.each([
  ['Cross Network', visit('google.com', 'google', 'cpc', 'Cross-Network')],
  ['Paid Search', visit('$direct', 'Google', 'CPC')],
  ['Paid Search', { ...visit('www.google.co.uk'), $entry_gclid: 'abc' }],
  ['Paid Search', { ...visit('$direct'), $entry_gad_source: '1' }],
  ['Paid Social', visit('$direct', 'facebook_ads', 'paid_social')],
  ['Paid Video', visit('m.youtube.com', undefined, 'cpv')],
  ['Paid Shopping', visit('$direct', 'x-partner', 'ppc', 'spring-shopping')],
  ['Display', visit('$direct', undefined, 'cpm')],
  ['Paid Unknown', visit('$direct', 'partner', 'retargeting')],
  ['Direct', visit('$direct')],
  ['Direct', visit('$direct', '(direct)')],
  ['Organic Search', visit('duckduckgo.com')],
  ['Organic Social', visit('t.co')],
  ['Organic Social', visit('news.ycombinator.com')],
  ['Organic Video', visit('www.twitch.tv')],
  ['Organic Shopping', visit('www.ebay.co.uk')],
  ['Email', visit('$direct', 'newsletter', 'e-mail')],
  ['SMS', visit('$direct', 'sms')],
  ['Affiliate', visit('$direct', 'partner', 'affiliate')],
  ['Push', visit('$direct', 'app', 'web push')],
  ['Audio', visit('$direct', 'podcast', 'audio')],
  ['Referral', visit('blog.example.org')],
  ['Unknown', visit('$direct', 'partner')],
  ['Unknown', visit()]
])('%s is the channel of %j', (channel, properties) => {
  expect(channelOf(properties)).toBe(channel)
})
