/*
 * What the service loads on demand, loaded before the first test: Vitest hands a module that is being loaded to all who wait
 * for it, and the Workers runtime refuses to wait in one invocation for what another one has begun.
 */
import '../../src/background.ts'
import '../../src/questions/answers.ts'
