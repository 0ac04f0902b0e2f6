import type { TimedEvents } from '../timed-events.ts'

export const FUNNEL_ORDERS = ['ordered', 'strict', 'unordered'] as const
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number]

/** When an actor has taken the steps of a funnel. Steps are counted from 0. */
export type FunnelRules = {
  order: FunnelOrder
  /** The number of steps. */
  steps: number
  /** Time within which all steps must follow the first one, ms; the end belongs to it. */
  window: number
  /** Events that spoil an attempt that has reached step `from`, and not yet step `to`. */
  exclusions: readonly { from: number; to: number }[]
  /** The step whose event gives an attempt its group; undefined if attempts have no group. */
  groupStep: number | undefined
}

/**
 * The attempts of some actors to get through a funnel. An actor's best attempt is the first one
 * that got furthest.
 */
export interface Attempts {
  /**
   * Adds event i to the attempts of the actor at a place. The events of an actor come in the order of
   * time. They are given by their number, because numbers such as their times, handed on one by one,
   * would be allocated.
   * @param steps a bit for each step that the event is
   * @param exclusions a bit for each exclusion that the event is
   */
  add(place: number, steps: number, exclusions: number, events: TimedEvents, i: number): void
  /** Returns how many steps the actor's best attempt has; 0 for none. */
  reached(place: number): number
  /** Whether the actor's best attempt is spoilt by an exclusion. */
  isExcluded(place: number): boolean
  /** Returns the time from the first step of the actor's best attempt to another step, ms. */
  timeTo(place: number, step: number): number
  /** Returns the group of the actor's best attempt, -1 for none. */
  groupOf(place: number): number
}

/** Times within a window, ms. */
export type Delays = Uint32Array | Float64Array

/** Whether a window is too long for 32 bits; 49 days have 2³² ms. */
export const isLong = (window: number): boolean => window >= 2 ** 32

/** Returns the times within a window that a memory has room for. */
export const delaysIn = (window: number, memory: ArrayBuffer): Delays =>
  isLong(window) ? new Float64Array(memory) : new Uint32Array(memory)

/**
 * Returns how many delays the attempts in the slots before one have, if the attempt in slot i has
 * got to step i: none, none, 1, 1 + 2, 1 + 2 + 3…
 */
export const delaysBefore = (slot: number): number => (slot * (slot - 1)) / 2
