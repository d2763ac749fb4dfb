import { ZerothError } from '../../../src/index.ts'
import type { Plain } from './experiment.ts'

/** How much is done. */
export type Scale = 'quick' | 'standard' | 'full'

/** Whose settings: those of the paper's text, those of the authors' code, or rates searched with equal effort for all. */
export type Profile = 'paper' | 'reference' | 'tuned'

export const scales: readonly Scale[] = ['quick', 'standard', 'full']
export const profiles: readonly Profile[] = ['paper', 'reference', 'tuned']

/** So many images, so many iterations. */
export interface Size {
  readonly count: number
  readonly iterations: number
}

interface Sizes {
  /** Table A3, Fig. 1. */
  readonly perImage: Size
  /** Table A1. */
  readonly search: Size
  /** Fig. A1 (a) and (b). */
  readonly betas: Size
  /** Table 2, Fig. 2. */
  readonly universal: Size
  /** Fig. A2. */
  readonly patterns: Size
  /** Table A2. */
  readonly universalSearch: Size
  /** Fig. A1 (c). */
  readonly universalBetas: Size
}

/** Everything that decides what a reproduction does. */
export interface Plan {
  readonly scale: Scale
  readonly profile: Profile
  readonly seed: number
  /** Model and images, as keys of an attack spec; the tuning images where there are such. */
  readonly subject: { readonly [key: string]: Plain }
  readonly tuningImages?: Plain | undefined
  /** The class of all images of universal attacks; any if left out. */
  readonly universalClass?: number | undefined
  readonly sizes: Sizes
  /** Upper limits on images and iterations for all of this plan. */
  readonly most: Size
  /** Learning rates of the search, as multiples of a rate that is known to be about right. */
  readonly factors: { readonly perImage: readonly number[]; readonly universal: readonly number[] }
}

const size = (count: number, iterations: number): Size => ({ count, iterations })

const quick: Sizes = {
  perImage: size(12, 330),
  search: size(3, 250),
  betas: size(2, 150),
  universal: size(10, 400),
  patterns: size(10, 400),
  universalSearch: size(5, 200),
  universalBetas: size(4, 150),
}

const standard: Sizes = {
  perImage: size(100, 1000),
  search: size(20, 1000),
  betas: size(20, 500),
  universal: size(10, 2000),
  patterns: size(10, 2000),
  universalSearch: size(10, 2000),
  universalBetas: size(10, 500),
}

/** The text: 100 images, also of the universal attack; its appendix has 10 images and half the iterations. */
const full: Sizes = {
  perImage: size(100, 1000),
  search: size(1, 1000),
  betas: size(1, 1000),
  universal: size(100, 40_000),
  patterns: size(10, 20_000),
  universalSearch: size(10, 20_000),
  universalBetas: size(10, 1000),
}

/** The authors' code attacks 50 images, here as many as the text; and 10 of one class for the universal attack. */
const reference: Sizes = { ...full, universal: full.patterns }

/** What a plan is made from. */
export interface PlanOptions {
  readonly scale: Scale
  readonly profile?: Profile | undefined
  readonly seed?: number | undefined
  /** Keys of an attack spec; only the full scale has its own. */
  readonly subject?: { readonly [key: string]: Plain } | undefined
  /** Images and iterations at most: less than the scale has. */
  readonly count?: number | undefined
  readonly iterations?: number | undefined
  /** Sizes of some parts, which hold whatever the scale has: universal=10x2000,per-image=20x1000. */
  readonly sizes?: string | undefined
  /** The class of all images of universal attacks. */
  readonly class?: number | undefined
}

/** The plan of a scale. */
export function planOf({
  scale,
  profile,
  seed = 1,
  subject,
  count = Infinity,
  iterations = Infinity,
  sizes: given = '',
  class: universalClass,
}: PlanOptions): Plan {
  const embedded = scale === 'quick' ? 'digits' : 'cifar10'
  const own = subject ?? { model: embedded, images: embedded }
  const chosen = profile ?? (scale === 'full' ? 'paper' : 'tuned')
  const sizes = { quick, standard, full: chosen === 'reference' ? reference : full }[scale]
  const capped = Object.entries(sizes).map(([name, each]) => [
    name,
    size(Math.min(each.count, count), Math.min(each.iterations, iterations)),
  ])
  return {
    scale,
    profile: chosen,
    seed,
    subject: own,
    tuningImages: subject === undefined ? `${embedded}:tuning` : undefined,
    universalClass,
    sizes: { ...(Object.fromEntries(capped) as unknown as Sizes), ...givenSizes(given) },
    most: size(count, iterations),
    factors: factors[scale],
  }
}

/** The sizes of parts as they are written: universal=10x9000 is 10 images and 9,000 iterations of universal attacks. */
export function givenSizes(text: string): Partial<Sizes> {
  const given = text.split(',').filter((each) => each.trim() !== '')
  return Object.fromEntries(given.map((each) => givenSize(each.trim())))
}

function givenSize(text: string): [string, Size] {
  const [, name = '', count, iterations] = /^([a-z-]+)=([1-9]\d*)x([1-9]\d*)$/.exec(text) ?? []
  const part = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
  if (part in full) return [part, size(Number(count), Number(iterations))]
  const parts = Object.keys(full).map((each) => each.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
  throw new ZerothError(
    'invalid-option',
    `--sizes must be PART=IMAGESxITERATIONS with commas between, got ${JSON.stringify(text)}; the parts are ${parts.join(', ')}`,
  )
}

/** Fewer iterations want larger steps, and so do perturbations that must serve several images. */
const factors = {
  quick: { perImage: [0.5, 1, 2, 4, 8], universal: [1, 2, 4, 8, 16] },
  standard: { perImage: [0.25, 0.5, 1, 2, 4], universal: [0.5, 1, 2, 4, 8] },
  full: { perImage: [0.25, 0.5, 1, 2, 4], universal: [0.25, 0.5, 1, 2, 4] },
} as const
