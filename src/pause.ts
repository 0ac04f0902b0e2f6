/** Longest delay of a queue's message, seconds. */
export const MAX_DELAY = 3_600

/** Seconds until a message's next delivery, after this many. */
export const retryDelay = (attempts: number): number => Math.min(MAX_DELAY, 2 ** attempts)

/** Lets so many milliseconds pass. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
