/** Paths of the icons, in a square of 16 pixels. */
const ICONS = {
  search: 'M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.3 10.3l3.2 3.2',
  person: 'M8 8a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM3 13.5c.4-2.6 2.3-4 5-4s4.6 1.4 5 4',
  event: 'M8.8 2L4 9h4l-.8 5L12 7H8z',
  recording: 'M2.5 4.5a1 1 0 011-1h9a1 1 0 011 1v7a1 1 0 01-1 1h-9a1 1 0 01-1-1zM7 6.2v3.6L10 8z',
  project:
    'M8 10a2 2 0 100-4 2 2 0 000 4zM8 1.8v1.7M8 12.5v1.7M1.8 8h1.7M12.5 8h1.7M3.6 3.6l1.2 1.2M11.2 11.2l1.2 1.2M3.6 12.4l1.2-1.2M11.2 4.8l1.2-1.2',
  help: 'M8 13.5a5.5 5.5 0 100-11 5.5 5.5 0 000 11zM6.3 6.4c.2-2.2 3.5-2 3.4 0 0 1.3-1.7 1.3-1.7 2.6M8 11v.01',
  split: 'M8 13.5V9M8 9L3.5 4.5M8 9l4.5-4.5M3.5 7.5v-3h3M9.5 4.5h3v3',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2z',
  erase: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9',
  add: 'M8 3.5v9M3.5 8h9',
  remove: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  clock: 'M8 13.5a5.5 5.5 0 100-11 5.5 5.5 0 000 11zM8 5v3.2l2 1.3',
  warning: 'M8 2.8l6 10.4H2zM8 6.8v3M8 11.4v.01',
  done: 'M3.5 8.5l3 3 6-6.5',
  next: 'M6 4l4 4-4 4',
  back: 'M10 4L6 8l4 4',
  below: 'M4.5 6.5L8 10l3.5-3.5',
  rise: 'M8 12.5v-9M4.5 7L8 3.5 11.5 7',
  fall: 'M8 3.5v9M4.5 9L8 12.5 11.5 9',
  calendar: 'M3 4.5h10v9H3zM3 7.5h10M5.5 2.5v2M10.5 2.5v2',
  compare: 'M2.5 10.5c2-5 4-5 5.5-2s3.5 3 5.5-2',
  overview: 'M2.5 13.5h11M4 11V8M8 11V3M12 11V6',
  share: 'M8 10V2.5M5 5l3-2.7L11 5M3.5 8.5v5h9v-5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  out: 'M9.5 4.5v-2h-7v11h7v-2M6 8h7.5M11 5.5L13.5 8 11 10.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7.5-4.5z',
  switch: 'M5 6l3-3 3 3M5 10l3 3 3-3',
  more: 'M3.5 8v.01M8 8v.01M12.5 8v.01',
  link: 'M6.8 9.2l2.4-2.4M7.5 4.7l1.3-1.3a2.6 2.6 0 013.8 3.8l-1.3 1.3M8.5 11.3l-1.3 1.3a2.6 2.6 0 01-3.8-3.8l1.3-1.3',
  mail: 'M2.5 4h11v8h-11zM2.5 4.5L8 8.8l5.5-4.3',
  bell: 'M4 11.5V7.2a4 4 0 018 0v4.3zM2.8 11.5h10.4M6.8 13.6h2.4',
  note: 'M3 3h10v7.5L10.5 13H3zM5.5 6h5M5.5 8.5h3',
  board: 'M2.5 2.5h4.5v5h-4.5zM9 2.5h4.5v3H9zM9 7.5h4.5v6H9zM2.5 9.5h4.5v4h-4.5z',
  grip: 'M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01',
  sql: 'M3 4.5l3 3.5-3 3.5M8 12h5',
  privacy: 'M8 2l5 1.8v4c0 3-2 5.2-5 6.2-3-1-5-3.2-5-6.2v-4zM6 8l1.5 1.5 2.8-2.9',
  receipt: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4M6 11h4',
  explore: 'M2.5 12.5l3.5-4 2.5 2 5-6M10.5 4.5h3v3',
  line: 'M2.5 11.5l3.5-4 3 2 4.5-5.5',
  area: 'M2.5 12.5v-4l3.5-3 3 2 4.5-4v9z',
  bars: 'M3.5 13V8M8 13V4M12.5 13V6',
  ranked: 'M3 4h9M3 8h6M3 12h3.5',
  pie: 'M8 13.5a5.5 5.5 0 100-11 5.5 5.5 0 000 11zM8 2.5V8l4 3.8',
  number: 'M4 5.5L6 4v8M4.5 12H8M10 5.2C10.6 3.6 13 3.8 13 5.8c0 1.7-3 3.7-3 6.2h3',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6',
  keep: 'M3 3h8l2 2v8H3zM5.5 3v3.5h4V3M5.5 13V9.5h5V13',
  save: 'M8 2.5V10M4.8 7L8 10.2 11.2 7M3 13.5h10'
}

export type IconName = keyof typeof ICONS

export const Icon = ({ name, small = false }: { name: IconName; small?: boolean }) => (
  <svg class={small ? 'i s' : 'i'} viewBox="0 0 16 16" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
)

export const Mark = () => (
  <svg class="mark" viewBox="0 0 22 22" aria-hidden="true">
    <rect width="22" height="22" rx="6" />
    <path d="M6 15.5v-3M11 15.5V6.5M16 15.5V9.5" />
  </svg>
)
