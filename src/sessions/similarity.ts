/** How much of two sessions is the same, from 0 to 1, and the steps that are, in their order. */
export type Comparison = { similarity: number; shared: string[] }

/**
 * How telling a step is: what the product itself records as an event says most, then the page or screen; a click anywhere,
 * which every session has, says little.
 */
export const weightOf = (step: string): number =>
  step.startsWith('$autocapture') ? 0.1 : /^\$(pageview|screen)\b/.test(step) ? 1 : step.startsWith('$') ? 0.5 : 1.5

/**
 * Compares two sequences of steps by their heaviest common subsequence, which both have in the same order. Its weight is
 * taken in proportion to both together (Dice) and to the lighter one (overlap); the similarity is the geometric mean of the
 * two, so that a whole visit with something before or after it is more alike than one in another order. Each repetition of
 * a step counts for less: the nth for an nth.
 */
export function compareSteps(a: readonly string[], b: readonly string[]): Comparison {
  const [left, right] = [weigh(a), weigh(b)]
  const [weightOfA, weightOfB] = [sum(left), sum(right)]
  if (weightOfA === 0 || weightOfB === 0) return { similarity: 0, shared: [] }

  const width = b.length + 1
  // best[i * width + j]: the weight that the rests from step i of `a` and from step j of `b` have in common.
  const best = new Float64Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const without = Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0)
      const both = a[i] === b[j] ? (best[(i + 1) * width + j + 1] ?? 0) + matched(left, right, i, j) : 0
      best[i * width + j] = Math.max(without, both)
    }

  const shared: string[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const here = best[i * width + j] ?? 0
    if (here === best[(i + 1) * width + j]) i += 1
    else if (here === best[i * width + j + 1]) j += 1
    else {
      shared.push(a[i] ?? '')
      i += 1
      j += 1
    }
  }
  const common = best[0] ?? 0
  const [dice, overlap] = [(2 * common) / (weightOfA + weightOfB), common / Math.min(weightOfA, weightOfB)]
  return { similarity: Math.min(1, Math.sqrt(dice * overlap)), shared }
}

function weigh(steps: readonly string[]): Float64Array {
  const times = new Map<string, number>()
  return Float64Array.from(steps, (step) => {
    const time = (times.get(step) ?? 0) + 1
    times.set(step, time)
    return weightOf(step) / time
  })
}

const matched = (left: Float64Array, right: Float64Array, i: number, j: number): number =>
  Math.min(left[i] ?? 0, right[j] ?? 0)

const sum = (weights: Float64Array): number => weights.reduce((total, weight) => total + weight, 0)
