/** The similarity of two sessions, from 0 to 1, and the steps that they share, in order. */
export type Comparison = { similarity: number; shared: string[] }

/**
 * Returns the weight of a step: 1.5 for the product's own events, 1 for pages and screens, 0.5 for
 * other events of SDKs, and 0.1 for clicks, which every session has.
 */
export function weightOf(step: string): number {
  if (step.startsWith('$autocapture')) {
    return 0.1
  }
  if (/^\$(pageview|screen)\b/.test(step)) {
    return 1
  }
  return step.startsWith('$') ? 0.5 : 1.5
}

/**
 * Compares two sequences of steps by their heaviest common subsequence. The similarity is the
 * geometric mean of two ratios: the subsequence's weight relative to both sequences (Dice) and
 * relative to the lighter sequence (overlap). So a visit that contains the whole other visit is
 * more similar than a visit with the same steps in another order. The nth occurrence of a step has
 * 1/n of its weight.
 */
export function compareSteps(a: readonly string[], b: readonly string[]): Comparison {
  const names = new Map<string, number>()
  const [left, right] = [encode(a, names), encode(b, names)]
  if (left.total === 0 || right.total === 0) {
    return { similarity: 0, shared: [] }
  }

  const best = weighSuffixes(left, right)
  const common = best[0] ?? 0
  const [dice, overlap] = [
    (2 * common) / (left.total + right.total),
    common / Math.min(left.total, right.total)
  ]
  const shared = traceShared(best, a, b)
  return { similarity: Math.min(1, Math.sqrt(dice * overlap)), shared }
}

/**
 * Returns a table with the weights of the heaviest common subsequences of all suffixes. The index
 * `i * width + j`, where `width` is the number of right steps plus 1, stands for the left steps
 * from i on and the right steps from j on.
 */
function weighSuffixes(left: Steps, right: Steps): Float64Array {
  const width = right.names.length + 1
  const best = new Float64Array((left.names.length + 1) * width)
  for (let i = left.names.length - 1; i >= 0; i -= 1) {
    const [name, weight] = [left.names[i], left.weights[i] ?? 0]
    const row = i * width
    const nextRow = row + width
    for (let j = right.names.length - 1; j >= 0; j -= 1) {
      let most = Math.max(best[nextRow + j] ?? 0, best[row + j + 1] ?? 0)
      if (name === right.names[j]) {
        const shared = Math.min(weight, right.weights[j] ?? 0)
        most = Math.max(most, (best[nextRow + j + 1] ?? 0) + shared)
      }
      best[row + j] = most
    }
  }
  return best
}

/**
 * Reads the heaviest common subsequence off the table of `weighSuffixes`. Where a step is left out,
 * the table has copied the weight of the shorter suffix, so `===` on these numbers is exact.
 */
function traceShared(best: Float64Array, a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1
  const shared: string[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const here = best[i * width + j] ?? 0
    if (here === best[(i + 1) * width + j]) {
      i += 1
    } else if (here === best[i * width + j + 1]) {
      j += 1
    } else {
      shared.push(a[i] ?? '')
      i += 1
      j += 1
    }
  }
  return shared
}

type Steps = { names: Int32Array; weights: Float64Array; total: number }

/** Encodes steps as numbers, with their weights. `known` has the numbers of both sequences. */
function encode(steps: readonly string[], known: Map<string, number>): Steps {
  const names = new Int32Array(steps.length)
  const weights = new Float64Array(steps.length)
  const occurrences: number[] = []
  let total = 0
  for (const [i, step] of steps.entries()) {
    const name = known.get(step) ?? known.size
    known.set(step, name)
    const nth = (occurrences[name] ?? 0) + 1
    occurrences[name] = nth
    names[i] = name
    weights[i] = weightOf(step) / nth
    total += weights[i] ?? 0
  }
  return { names, weights, total }
}
