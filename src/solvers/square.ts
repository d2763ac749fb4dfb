import { imageShape, shapeOption } from '../bases/image-options.ts'
import { choice, optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { numberWithin } from '../core/schema.ts'
import type { Begin, Budget, ImageShape, Solver, Vector } from '../core/types.ts'
import { randomInteger, randomWord } from '../kernels/random.ts'
import { limitOf, type Norm } from './attack-limit.ts'
import { windows } from './square-windows.ts'
import { type Trials, trialSearch } from './trial-search.ts'

/**
 * Square Attack (Andriushchenko et al., 2020). Its l-infinity version moves every pixel by the radius, up or down; at first
 * in vertical stripes, then in squares at random places whose channels get random sides, kept where the value falls. Its
 * l2 version moves the length of the change from one square to another.
 */
export const square = definePart({
  kind: 'solver',
  name: 'square',
  summary: 'Random squares of an image, moved up or down and kept where that helps.',
  options: table({
    radius: optional(
      positive(
        "by how much every pixel is moved from the start (l2: the length of the change); the attack's limit if left out, or else 0.1 (l2: 1)",
      ),
    ),
    norm: optional(
      choice(['linf', 'l2'], 'what the radius limits: every pixel, or the length of the change; that of the attack'),
    ),
    share: optional(
      numberWithin({ above: 0, most: 1 }),
      'share of the image that the first squares cover (the paper: p); if left out, by its size and the budget',
    ),
    shape: shapeOption,
  }),
  examples: (dim) => [
    { radius: 1, shape: { channels: 1, height: 1, width: dim } },
    { radius: 0.8, share: 1, shape: { channels: dim, height: 1, width: 1 } },
  ],
  make: ({ radius: given, norm: said, share, shape }): Solver => ({
    begin(at) {
      const image = imageShape('square', shape, at)
      const { norm, radius } = limitOf(at, { norm: said, radius: given })
      const queries = queriesOf(at.budget)
      const first = share ?? (given === undefined ? shareFor(image, queries, norm) : usualShare(image))
      const sideAt = (iteration: number): number => sideOf(image, first * shrinkage(iteration / queries))
      if (norm === 'l2') return trialSearch(at, windows(at, image, { radius, sideAt }))
      return trialSearch(at, squares(at, image, radius, sideAt))
    },
  }),
})

/** After these shares of the budget, in ten-thousandths, the squares cover half of what they did. */
const halvings = [10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000]

/** The length of the schedule where the budget does not give one. */
const usualQueries = 10_000

function squares(at: Begin, shape: ImageShape, radius: number, sideAt: (iteration: number) => number): Trials {
  const { seed, dim } = at
  const { channels, height, width } = shape
  const origin = at.start.slice()
  const pixels = height * width
  const move = (i: number, word: number, into: Vector): void => {
    into[i] = (origin[i] as number) + (word % 2 === 0 ? radius : -radius)
  }
  return {
    memory: {},
    open(iteration, into) {
      const address = { seed, iteration, row: openingRow }
      for (let i = 0; i < dim; i++) {
        const stripe = Math.floor(i / pixels) * width + (i % width)
        move(i, randomWord(address, 'coordinates', stripe), into)
      }
    },
    next(_, iteration, attempt, into) {
      const address = { seed, iteration, row: openingRow + 1 + attempt }
      const side = sideAt(iteration)
      const top = randomInteger(address, 'coordinates', 0, height - side + 1)
      const left = randomInteger(address, 'coordinates', 1, width - side + 1)
      const changed: [number, number][] = []
      for (let channel = 0; channel < channels; channel++) {
        const word = randomWord(address, 'coordinates', 2 + channel)
        for (let row = top; row < top + side; row++) {
          const first = channel * pixels + row * width + left
          for (let i = first; i < first + side; i++) move(i, word, into)
          changed.push([first, first + side])
        }
      }
      return changed
    },
    settle: () => undefined,
  }
}

/** Rows below belong to others who draw coordinates. */
const openingRow = 2

/** The side of a square that covers a share of the image. */
function sideOf({ height, width }: ImageShape, share: number): number {
  const side = Math.round(Math.sqrt(share * height * width))
  return Math.min(Math.max(side, 1), height, width)
}

/** What is left of the first share once this part of the budget is spent. */
function shrinkage(spent: number): number {
  return halvings.reduce((left, after) => (10_000 * spent > after ? left / 2 : left), 1)
}

function queriesOf({ maxQueries = Infinity, maxIterations = Infinity }: Budget): number {
  const least = Math.min(maxQueries, maxIterations)
  return least === Infinity ? usualQueries : least
}

/**
 * What the first squares cover where the radius is the limit of an attack: as published for 10,000 queries, and more where
 * there are fewer, since squares become smaller as the budget is spent.
 */
function shareFor({ height, width }: ImageShape, queries: number, norm: Norm): number {
  if (height * width < smallImage) return 0.8
  const { published, most } = norm === 'l2' ? { published: 0.1, most: 0.5 } : { published: 0.05, most: 0.3 }
  return Math.min(most, published * Math.max(1, usualQueries / queries))
}

/** Found on tuning images: the smaller the image, the more of it the first squares should cover. */
function usualShare({ height, width }: ImageShape): number {
  const pixels = height * width
  if (pixels < smallImage) return 0.8
  return pixels <= 4096 ? 0.3 : 0.05
}

/** Pixels below which an image shows a digit or the like. */
const smallImage = 1000
