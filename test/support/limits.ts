import { afterEach, expect } from 'vitest'
import { takeExcesses } from './platform.ts'

// A limit that was exceeded fails the test, even if the product has caught the error.
afterEach(() => expect(takeExcesses()).toEqual([]))
