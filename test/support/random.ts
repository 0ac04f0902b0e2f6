import fc from 'fast-check'
import { seed } from './depth.ts'

// All random tests make the same runs each time, unless FULL_DEPTH asks for others.
fc.configureGlobal({ seed })
