import type { ImageShape, Vector } from '../core/types.ts'

/** Cycles per pixel along a side of an image: even, slow and fast waves, up to a change from each pixel to the next. */
const frequencies = [0, 1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2]

/** How many textures there are: a wave down the image times one across it. The first is an even area. */
export const textureCount = frequencies.length * frequencies.length

/** A part of an image. */
export interface Window {
  readonly top: number
  readonly left: number
  readonly height: number
  readonly width: number
}

/**
 * Writes a texture, 1 and -1, into a window and 0 everywhere else. The waves are square ones, and every channel has phases
 * and a sign of its own: `uniform` gives the random numbers, by their index.
 */
export function writeTexture(
  { channels, height, width }: ImageShape,
  texture: number,
  window: Window,
  uniform: (index: number) => number,
  into: Vector,
): void {
  const down = frequencies[Math.floor(texture / frequencies.length)] as number
  const across = frequencies[texture % frequencies.length] as number
  into.fill(0)
  for (let channel = 0; channel < channels; channel++) {
    const sign = uniform(3 * channel) < 0.5 ? 1 : -1
    const [phaseDown, phaseAcross] = [uniform(3 * channel + 1), uniform(3 * channel + 2)]
    for (let row = window.top; row < window.top + window.height; row++) {
      const side = sign * wave(down, row, phaseDown)
      const first = (channel * height + row) * width
      for (let column = window.left; column < window.left + window.width; column++) {
        into[first + column] = side * wave(across, column, phaseAcross)
      }
    }
  }
}

/** A square wave; a frequency of 0 is level whatever its phase. */
function wave(frequency: number, place: number, phase: number): number {
  if (frequency === 0) return 1
  const cycles = frequency * place + phase
  return cycles - Math.floor(cycles) < 0.5 ? 1 : -1
}
