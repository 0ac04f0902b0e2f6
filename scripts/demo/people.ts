/* The lists from which the demo draws its people. */

/** Address of the demo's product, a planner for small teams. */
export const SITE = 'https://harbour.example'

export const FIRST_NAMES = [
  'Ada Amélie Anika Aoife Bruno Camila Chiara Chidi Clara Daan Daniela Diego Eero Elif Emre Erik',
  'Fatima Felix Finn Freya Gabriel Grace Greta Hana Haruto Ines Isla Ivan Jakub Joana João Jonas',
  'Julia Kaito Karim Katya Lars Leila Liam Linnéa Lucía Luca Maja Marek María Mateo Mei Milan',
  'Nadia Naveen Niamh Noah Olga Omar Priya Rafael Rosa Samir Sofia Søren Tariq Tomás Yuki Zoë'
].flatMap((line) => line.split(' '))

export const LAST_NAMES = [
  'Abbas Almeida Andersen Bakker Bauer Becker Bianchi Byrne Carvalho Chen Costa Dahl Demir Dubois Eriksen Fischer',
  'Flores Fontaine García Gupta Hansen Hoffmann Hughes Ito Ivanova Jansen Jensen Kaya Keller Khan Kim Kowalski',
  'Lindqvist López Martin Mehta Meyer Moreau Moretti Müller Nakamura Nielsen Novák Nowak Okafor Olsen Pereira Petrov',
  'Quinn Reyes Ribeiro Rossi Santos Sato Schmidt Silva Singh Svensson Tanaka Torres Virtanen Visser Walsh Weber'
].flatMap((line) => line.split(' '))

const COMPANY_STARTS = [
  'Bright',
  'Copper',
  'Fjord',
  'Green',
  'Iron',
  'Maple',
  'North',
  'Quiet',
  'River',
  'Silver'
] as const
const COMPANY_ENDS = [
  'bakery',
  'byte',
  'field',
  'forge',
  'labs',
  'mill',
  'press',
  'stone',
  'studio',
  'works'
] as const

export const COMPANIES = COMPANY_STARTS.flatMap((start) =>
  COMPANY_ENDS.map((end) => `${start}${end}`)
)

export const ROLES = [
  'Founder',
  'Engineer',
  'Designer',
  'Product manager',
  'Marketing',
  'Operations'
] as const

export type Country = {
  weight: number
  code: string
  name: string
  city: string
  timezone: string
  /** Hours ahead of UTC, the same all year. */
  offset: number
  language: string
}

export const COUNTRIES: readonly Country[] = [
  {
    weight: 24,
    code: 'US',
    name: 'United States',
    city: 'Chicago',
    timezone: 'America/Chicago',
    offset: -6,
    language: 'en-US'
  },
  {
    weight: 14,
    code: 'DE',
    name: 'Germany',
    city: 'Berlin',
    timezone: 'Europe/Berlin',
    offset: 1,
    language: 'de-DE'
  },
  {
    weight: 12,
    code: 'GB',
    name: 'United Kingdom',
    city: 'London',
    timezone: 'Europe/London',
    offset: 0,
    language: 'en-GB'
  },
  {
    weight: 9,
    code: 'FR',
    name: 'France',
    city: 'Lyon',
    timezone: 'Europe/Paris',
    offset: 1,
    language: 'fr-FR'
  },
  {
    weight: 8,
    code: 'IN',
    name: 'India',
    city: 'Bengaluru',
    timezone: 'Asia/Kolkata',
    offset: 5.5,
    language: 'en-IN'
  },
  {
    weight: 8,
    code: 'BR',
    name: 'Brazil',
    city: 'São Paulo',
    timezone: 'America/Sao_Paulo',
    offset: -3,
    language: 'pt-BR'
  },
  {
    weight: 7,
    code: 'NL',
    name: 'Netherlands',
    city: 'Utrecht',
    timezone: 'Europe/Amsterdam',
    offset: 1,
    language: 'nl-NL'
  },
  {
    weight: 6,
    code: 'JP',
    name: 'Japan',
    city: 'Osaka',
    timezone: 'Asia/Tokyo',
    offset: 9,
    language: 'ja-JP'
  },
  {
    weight: 6,
    code: 'CA',
    name: 'Canada',
    city: 'Toronto',
    timezone: 'America/Toronto',
    offset: -5,
    language: 'en-CA'
  },
  {
    weight: 6,
    code: 'AU',
    name: 'Australia',
    city: 'Melbourne',
    timezone: 'Australia/Melbourne',
    offset: 10,
    language: 'en-AU'
  }
]

export type Device = {
  weight: number
  browser: string
  version: number
  os: string
  type: string
  width: number
  height: number
}

export const COMPUTERS: readonly Device[] = [
  {
    weight: 38,
    browser: 'Chrome',
    version: 142,
    os: 'Windows',
    type: 'Desktop',
    width: 1920,
    height: 1080
  },
  {
    weight: 24,
    browser: 'Chrome',
    version: 142,
    os: 'Mac OS X',
    type: 'Desktop',
    width: 1728,
    height: 1117
  },
  {
    weight: 16,
    browser: 'Safari',
    version: 26,
    os: 'Mac OS X',
    type: 'Desktop',
    width: 1512,
    height: 982
  },
  {
    weight: 12,
    browser: 'Firefox',
    version: 145,
    os: 'Linux',
    type: 'Desktop',
    width: 2560,
    height: 1440
  },
  {
    weight: 10,
    browser: 'Microsoft Edge',
    version: 142,
    os: 'Windows',
    type: 'Desktop',
    width: 1536,
    height: 864
  }
]

export const PHONES: readonly Device[] = [
  {
    weight: 55,
    browser: 'Mobile Safari',
    version: 26,
    os: 'iOS',
    type: 'Mobile',
    width: 393,
    height: 852
  },
  {
    weight: 45,
    browser: 'Chrome',
    version: 142,
    os: 'Android',
    type: 'Mobile',
    width: 412,
    height: 915
  }
]

export type Channel = { weight: number; referrer: string; utm: Record<string, string> }

const campaign = (utm_source: string, utm_medium: string, utm_campaign: string) => ({
  utm_source,
  utm_medium,
  utm_campaign
})

/** Sources of visitors. */
export const CHANNELS: readonly Channel[] = [
  { weight: 30, referrer: 'https://www.google.com/', utm: {} },
  { weight: 24, referrer: '$direct', utm: {} },
  {
    weight: 16,
    referrer: 'https://www.google.com/',
    utm: campaign('google', 'cpc', 'planner-autumn')
  },
  { weight: 12, referrer: '$direct', utm: campaign('newsletter', 'email', 'monthly-digest') },
  {
    weight: 10,
    referrer: 'https://www.linkedin.com/',
    utm: campaign('linkedin', 'paid-social', 'team-leads')
  },
  { weight: 8, referrer: 'https://blog.example.org/planners-compared', utm: {} }
]

export const PUBLIC_PAGES = [
  { weight: 30, path: '/' },
  { weight: 22, path: '/pricing' },
  { weight: 16, path: '/features' },
  { weight: 12, path: '/blog/planning-without-meetings' },
  { weight: 10, path: '/blog/how-we-price' },
  { weight: 10, path: '/docs/getting-started' }
] as const

/** Actions inside the product, each with its page. */
export const ACTIONS = [
  { weight: 26, path: '/app/board', event: 'task created' },
  { weight: 24, path: '/app/board', event: 'task completed' },
  { weight: 14, path: '/app/tasks', event: 'comment posted' },
  { weight: 10, path: '/app/projects', event: 'project opened' },
  { weight: 6, path: '/app/projects', event: 'project created' },
  { weight: 6, path: '/app/search', event: 'search used' },
  { weight: 5, path: '/app/reports', event: 'report exported' },
  { weight: 3, path: '/app/team', event: 'teammate invited' }
] as const

export type Plan = 'free' | 'pro' | 'team'

/** US dollars per seat and month. */
export const PRICES = { free: 0, pro: 12, team: 19 } as const

export const ADD_ONS = [
  { weight: 5, product: 'extra storage', amount: 9 },
  { weight: 3, product: 'template pack', amount: 29 },
  { weight: 1, product: 'onboarding call', amount: 149 }
] as const
