/** The parts of the builder at which a fault of the API can be shown. */
export type FaultPlace =
  | `series ${number}`
  | 'breakdown'
  | 'formula'
  | 'filters'
  | 'display'
  | 'options'
  | undefined

/** Returns where a fault belongs, by the path of its field: `query__series__1__event`. */
export function placeOfFault(attr: string): FaultPlace {
  const series = /series__(\d+)|(targetEntity)|(returningEntity)/.exec(attr)
  if (series) {
    return `series ${series[1] ?? (series[2] ? 0 : 1)}` as FaultPlace
  }
  const places: [RegExp, FaultPlace][] = [
    [/formula/, 'formula'],
    [/breakdown/, 'breakdown'],
    [/properties/, 'filters'],
    [/display/, 'display'],
    [/funnel|retention|stickiness|interval/i, 'options']
  ]
  return places.find(([pattern]) => pattern.test(attr))?.[1]
}
