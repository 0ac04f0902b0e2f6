/** How much of two sessions is the same, from 0 to 1, and the steps that are, in their order. */
export type Comparison = { similarity: number; shared: string[] }

/**
 * How telling a step is: what the product itself records as an event says most, then the page or screen; a click anywhere,
 * which every session has, says little.
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
 * Compares two sequences of steps by their heaviest common subsequence, which both have in the same order. Its weight is
 * taken in proportion to both together (Dice) and to the lighter one (overlap); the similarity is the geometric mean of the
 * two, so that a whole visit with something before or after it is more alike than one in another order. Each repetition of
 * a step counts for less: the nth for an nth.
 */
export function compareSteps(a: readonly string[], b: readonly string[]): Comparison {
  const names = new Map<string, number>()
  const [left, right] = [read(a, names), read(b, names)]
  if (left.total === 0 || right.total === 0) {
    return { similarity: 0, shared: [] }
  }

  const best = weighRests(left, right)
  const common = best[0] ?? 0
  const [dice, overlap] = [
    (2 * common) / (left.total + right.total),
    common / Math.min(left.total, right.total)
  ]
  const shared = traceShared(best, a, b)
  return { similarity: Math.min(1, Math.sqrt(dice * overlap)), shared }
}

/** Returns, at `i * (right's steps + 1) + j`, what the rests from step i on the left and step j on the right have in common. */
function weighRests(left: Steps, right: Steps): Float64Array {
  const width = right.names.length + 1
  const best = new Float64Array((left.names.length + 1) * width)
  for (let i = left.names.length - 1; i >= 0; i -= 1) {
    const [name, weight] = [left.names[i], left.weights[i] ?? 0]
    for (let j = width - 2, at = i * width + j; j >= 0; j -= 1, at -= 1) {
      let most = Math.max(best[at + width] ?? 0, best[at + 1] ?? 0)
      if (name === right.names[j]) {
        most = Math.max(most, (best[at + width + 1] ?? 0) + Math.min(weight, right.weights[j] ?? 0))
      }
      best[at] = most
    }
  }
  return best
}

/** Reads the heaviest common subsequence off the weights of the rests. */
function traceShared(best: Float64Array, a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1
  const shared: string[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
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

/** The steps as numbers, the same for the same name in all that share `known`, with what each weighs and all together. */
function read(steps: readonly string[], known: Map<string, number>): Steps {
  const names = new Int32Array(steps.length)
  const weights = new Float64Array(steps.length)
  const times: number[] = []
  let total = 0
  for (const [i, step] of steps.entries()) {
    const name = known.get(step) ?? known.size
    known.set(step, name)
    const time = (times[name] ?? 0) + 1
    times[name] = time
    names[i] = name
    weights[i] = weightOf(step) / time
    total += weights[i] ?? 0
  }
  return { names, weights, total }
}
