import {
  detectBrowser,
  detectBrowserVersion,
  detectDeviceType,
  detectOS,
  isBlockedUA
} from '@posthog/core/utils'
import type { JsonObject } from '../input/json.ts'

/** The facts in a user agent. `device` is empty if its browser and system are unknown. */
export type UserAgentFacts = { isBot: boolean; device: JsonObject }

/**
 * Reads a user agent by the rules of posthog-js, so that one browser has one name whoever names it:
 *
 *     Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) … Version/18.6 Mobile/15E148 Safari
 *     → Mobile Safari 18.6, iOS 18.6.0, Mobile
 *
 * The time is quadratic in the length of the text.
 */
export function readUserAgent(text: string): UserAgentFacts {
  const browser = detectBrowser(text, undefined)
  const [os, osVersion] = detectOS(text)
  const version = detectBrowserVersion(text, undefined)
  const isKnown = browser !== '' || os !== ''
  return {
    isBot: isBlockedUA(text),
    device: {
      ...(browser !== '' && { $browser: browser }),
      ...(version !== null && { $browser_version: version }),
      ...(os !== '' && { $os: os }),
      ...(osVersion !== '' && { $os_version: osVersion }),
      ...(isKnown && { $device_type: detectDeviceType(text) })
    }
  }
}
