/** What computes answers. */
export type Answers = typeof import('./answers.ts')

/** Loads what computes answers: an isolate that is asked no question does without it. */
export const loadAnswers = (): Promise<Answers> => import('./answers.ts')
