/** `83456` → `1:23`, `3723000` → `1:02:03` */
export function toClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`
}

/** `12_590` → `12.5`: a time in ms as the seconds of an address. */
export const toSeconds = (ms: number): number => Math.floor(ms / 100) / 10
