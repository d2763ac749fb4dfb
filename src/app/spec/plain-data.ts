import { show } from '../../optimizer/core/errors.ts'
import { below, failAt, type Place } from './place.ts'

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** An object as JSON has them. */
export type JsonObject = { readonly [key: string]: Json }

/** No option nests nearly as deep. */
const deepest = 50

/** No option has nearly so long a name. */
const longestKey = 200

/** Names that are no data in JavaScript: taken over carelessly they change what every object is. */
const forbiddenKeys = ['__proto__', 'constructor', 'prototype']

/** Whether a value is an object as JSON has them. */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Refuses whatever could not have been read from a file, and keys that are dangerous in JavaScript. */
export function checkPlainData(value: unknown, place: Place): asserts value is Json {
  if (place.path.length > deepest) throw failAt(place, ` is nested more than ${deepest} deep`)
  if (Array.isArray(value)) {
    // Not one by one: a start may have a million numbers, which have nothing below them.
    value.forEach((each: unknown, i) => {
      if (typeof each !== 'number') checkPlainData(each, below(place, i))
    })
    return
  }
  if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      // What a program left out, as JSON leaves it out.
      if (each !== undefined) checkMember(key, each, below(place, key))
    }
    return
  }
  if (value === null || ['boolean', 'number', 'string'].includes(typeof value)) return
  throw failAt(place, ` must be something that JSON can hold, got ${show(value)}`)
}

function checkMember(key: string, value: unknown, place: Place): void {
  if (forbiddenKeys.includes(key)) {
    throw failAt(place, `: the key ${key} is not allowed`, 'unknown-option')
  }
  if (key.length > longestKey)
    throw failAt(place, `: a key has at most ${longestKey} characters, got ${key.length}`, 'unknown-option')
  checkPlainData(value, place)
}

/** A number as text: digits with a point and a power of ten, as JSON and JavaScript write it. */
const decimal = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?`
const pattern = new RegExp(String.raw`^\s*(${decimal})\s*(?:/\s*(${decimal})\s*)?$`, 'i')

/** What is wrong with a text that should be a number. */
export interface NoNumber {
  /** What it must be, to follow the name of the option or `It`. */
  readonly complaint: string
}

/** The number that a text means: `0.03`, or a fraction as `8/255`. */
export function numberOfText(text: string): number | NoNumber {
  const [, above, below = '1'] = pattern.exec(text) ?? []
  if (above === undefined) return { complaint: 'must be a number or a fraction, as in 8/255' }
  if (Number(below) === 0) return { complaint: 'must not divide by 0' }
  const value = Number(above) / Number(below)
  return Number.isFinite(value) ? value : { complaint: 'must be a finite number' }
}
