import type { Begin, Key, Vector } from '../core/types.ts'
import type { BorderNormal } from './border-normal.ts'
import { away } from './label-moves.ts'
import { coverPatch } from './random-patch.ts'

/** Points that may succeed, level by level, where nothing is known yet. */
export interface FirstTries {
  /** Writes one of the points of a level, which may lie outside the set; false where it has no more. */
  write(level: number, key: Key, index: number, into: Vector): boolean
}

/** The first noise, per variable (root mean square), what it is multiplied by, levels until it begins again, and tries. */
const noise = { first: 0.02, growth: 1.25, levels: 24, tries: 4 }

/** The level from which on pictures are tried with a part covered, and the one at which footholds are tried. */
const patchLevel = 12
const footholdLevel = 20

/** Rows of random numbers of the noise; probes have those from 0 on. */
const noiseRow = 1_000_000

/**
 * Noise that grows. Some models see the same class in all noise, and another where a part of the picture is missing: so that
 * is tried, too. Noise seldom leads to a class that is given: then footholds come first, else late.
 */
export function firstTries({ dim, shape, attack }: Begin, normal: BorderNormal, origin: Vector): FirstTries {
  const { footholds = [], targeted, pictures } = attack ?? {}
  const direction = new Float64Array(dim)
  const hasPatches = shape !== undefined && pictures !== undefined
  return {
    write(level, key, index, into) {
      const others = level === (targeted === true ? 0 : footholdLevel) ? footholds : []
      const patches = others.length + (hasPatches && level >= patchLevel ? noise.tries : 0)
      const foothold = others[index]
      if (foothold !== undefined) into.set(foothold)
      else if (hasPatches && index < patches) {
        into.set(origin)
        coverPatch(shape, pictures, key, index, into)
      } else {
        normal.draw(key, noiseRow + index, direction)
        away(origin, direction, amplitudeAt(level) * Math.sqrt(dim), into)
      }
      return index < patches + noise.tries
    },
  }
}

function amplitudeAt(level: number): number {
  let amplitude = noise.first
  for (let i = level % noise.levels; i > 0; i--) amplitude *= noise.growth
  return amplitude
}
