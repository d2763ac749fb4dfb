import { numberWithin, oneOf, optional, positive, table, withDefault } from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import type {
  Answers,
  AttackFacts,
  ImageShape,
  Memory,
  RunContext,
  Solver,
  Vector,
} from '../../optimizer/core/types.ts'
import { type RandomRow, randomInteger, randomUniform, randomWord } from '../../optimizer/kernels/random.ts'
import { imageShape, shapeOption } from '../../optimizer/parts/bases/tiles.ts'
import { Bandit } from './bandit.ts'
import { CellSlopes, Cells, type Window } from './cell-slopes.ts'
import { projectInto, type Spans } from './project-into.ts'
import { queriesOf, shrinkage, sideOf, squares } from './square.ts'
import { limitOf, type Trials, trialSearch } from './trial-search.ts'

/**
 * Square Attack (Andriushchenko et al., 2020) with more to propose than squares: one search that keeps its point and the
 * schedule of sizes over the whole budget. Every answer also goes into a linear model of the image's slopes. Bandits draw what
 * is laid over a window, how large that is, and whether the best of several is asked, as the model sees them. Every
 * fifth proposal is Square's own. Within a limit on every pixel.
 */
export const adaptiveSquare = definePart({
  kind: 'solver',
  forAttacks: true,
  name: 'adaptive-square',
  summary:
    'Square Attack with proposals drawn by bandits and screened by learned slopes; keeps to a limit on every pixel.',
  options: table({
    /** By how much every pixel is moved from the start; the attack's limit if left out, or else 0.1. Above 0. */
    radius: optional(positive),
    /** Share of the image that the first windows cover (the paper: p); if left out, by its size. Above 0 and at most 1. */
    share: optional(numberWithin({ above: 0, most: 1 })),
    /** What is proposed: with `plain`, Square's squares and nothing else. Default 'drawn'. */
    proposals: withDefault(oneOf('drawn', 'plain'), 'drawn'),
    /** Size of the image whose pixels the variables are, channel by channel; the run's own if left out. */
    shape: shapeOption,
  }),
  examples: (dim) => [
    { radius: 1, shape: { channels: 1, height: 1, width: dim } },
    { radius: 0.8, share: 1, shape: { channels: dim, height: 1, width: 1 } },
  ],
  make: ({ radius: given, share, proposals, shape }): Solver => ({
    start(at) {
      const image = imageShape('adaptive-square', shape, at)
      const { radius } = limitOf(at, { norm: 'linf', radius: given })
      const queries = queriesOf(at.budget)
      const first = share ?? firstShare(image)
      const sideAt = (iteration: number): number => sideOf(image, first * shrinkage(iteration / queries))
      // What an attack begins with has been classified before, and need not be asked.
      const opensAtOnce = at.attack !== undefined
      const plain = delayed(squares(at, image, radius, sideAt), opensAtOnce ? 1 : 0)
      const trials = proposals === 'plain' ? plain : new Proposals(at, image, radius, sideAt, plain)
      return trialSearch(at, trials, opensAtOnce)
    },
  }),
})

/** Trials whose iterations are counted as if others had been before. */
function delayed(trials: Trials, by: number): Trials {
  const { open, next } = trials
  return {
    ...trials,
    open: open && ((iteration, into) => open(iteration + by, into)),
    next: (kept, iteration, attempt, into) => next(kept, iteration + by, attempt, into),
  }
}

/** The side of images whose first windows cover most of them, and how much that is. */
const smallSide = 32
const mostShare = 0.8

/** Found on tuning images: 0.8 of small images, and of larger ones less, by the power 5/8 of their side. */
function firstShare({ height, width }: ImageShape): number {
  const smaller = Math.min(1, smallSide / Math.sqrt(height * width))
  return mostShare * Math.sqrt(smaller) * Math.sqrt(Math.sqrt(Math.sqrt(smaller)))
}

/** Pixels of a channel above which slopes of single pixels cannot be learned within a budget. */
const largeImage = 4096

/**
 * What is laid over a window. Plain: one side of the limit in each channel. Slope: of every pixel the side that its slope says.
 * Tile: a small random pattern, side by side. Pool: a tile that has helped before. Flip: the other side, in some channels.
 */
const kinds = ['plain', 'slope', 'tile', 'pool', 'flip', 'texture'] as const
type Kind = (typeof kinds)[number]

/** The kinds that help on small images, and on large ones. */
const usefulKinds = { small: ['plain', 'slope'], large: ['plain', 'slope', 'tile', 'pool', 'flip'] } as const

/** Sides of windows as multiples of that of Square's, and what they are expected to gain. */
const factors = { small: [1], large: [1, 0.5, 2] } as const
const prospects = [1, 0.7, 0.7]

/** Proposals of which the model chooses one, by what the bandit has chosen. */
const screened = [1, 16] as const

/** The share of the trials that are Square's own, whatever the bandits say. */
const ownShare = 0.2

/** Answers before the slopes are trusted. */
const firstAnswers = 20

/** Trials after the first that lay a texture over all of an image with colours: many networks give way to one of them. */
const textureTrials = 8

/** Cycles per pixel along a side of the image: even, slow and fast waves, up to a change from each pixel to the next. */
const frequencies = [0, 1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2]

/** Pixels of the largest tile, and tiles that are remembered. */
const tilePixels = 16
const poolSize = 12

/** Gains above this many usual ones count as so many. */
const mostGain = 4

/** What is drawn for each trial; proposals draw in rows of their own, out of the way of Square's. */
const draws = { own: 0, kind: 1, size: 2, screen: 3 }
const firstRow = 256
const rowsPerAttempt = 32
const learningRow = 255

interface Proposal {
  kind: Kind
  window: Window
  /** The side of the tile, and its pattern: channel by channel, 1 and -1; of a plain window a single pixel. */
  tileSide: number
  readonly tile: Int8Array
  /** The output of the model that is to fall, and the one beside which it is to; none if -1. */
  output: number
  beside: number
  readonly random: RandomRow
}

class Proposals implements Trials {
  readonly memory: Memory
  readonly compared: Trials['compared']
  readonly detailed: boolean
  readonly #shape: ImageShape
  readonly #seed: number
  readonly #radius: number
  readonly #sideAt: (iteration: number) => number
  readonly #plain: Trials
  readonly #origin: Vector
  /** The squared length of the change that was answered last, where it is a part of values. */
  #squares = 0
  readonly #classes: AttackFacts['classes']
  readonly #useful: readonly Kind[]
  readonly #factors: readonly number[]
  readonly #cells: Cells
  readonly #model: CellSlopes
  readonly #arms: { readonly kinds: Bandit; readonly sizes: Bandit; readonly screens: Bandit }
  /** The choices behind the point on trial, and what is known of the point kept. */
  readonly #state = {
    isOwn: true,
    kind: 0,
    size: 0,
    screen: 0,
    top: 0,
    left: 0,
    height: 0,
    width: 0,
    tileSide: 1,
    isOpen: false,
    usualGain: 0,
    pooled: 0,
  }
  /** The tile on trial, and those that have helped: the side of each, then its pattern. */
  readonly #tile: Vector
  readonly #pool: Vector
  /** What the outputs of the model are where the point kept is: one for each class, or none. */
  readonly #values: Vector
  readonly #triedValues: Float64Array
  readonly #rises: Float64Array
  /** Changes of cells from the original, in units of the radius: at either side of the limit, and at the point kept. */
  readonly #ends: { readonly high: Float32Array; readonly low: Float32Array }
  readonly #held: Vector
  readonly #change: Float32Array
  /** Of each column of cells, the share that a window covers; what is laid over a line of a tile. */
  readonly #shares: Float64Array
  readonly #line = new Float64Array(Math.sqrt(tilePixels))

  constructor(at: RunContext, shape: ImageShape, radius: number, sideAt: (iteration: number) => number, plain: Trials) {
    const size = shape.height * shape.width > largeImage ? 'large' : 'small'
    this.#shape = shape
    this.#seed = at.seed
    this.#radius = radius
    this.#sideAt = sideAt
    this.#plain = plain
    this.#origin = at.start.slice()
    this.#useful = usefulKinds[size]
    this.#factors = factors[size]
    this.#cells = new Cells(shape)
    this.#classes = at.attack?.classes
    const classes = this.#classes?.count ?? 0
    // What is wanted is success and nothing else: the loss, without the length of the change.
    if (at.attack?.addsSquares === true) {
      this.compared = (value, x) => {
        this.#squares = squaresBetween(x, this.#origin)
        return value - this.#squares
      }
    }
    this.detailed = classes > 0
    this.#model = new CellSlopes(at, this.#cells, Math.max(1, classes))
    this.#values = at.kernels.allocate(classes, at.precision)
    this.#triedValues = new Float64Array(classes)
    this.#rises = new Float64Array(Math.max(1, classes))
    const made = (expected: readonly number[]) => new Bandit(at, expected)
    this.#arms = {
      kinds: made(kinds.map(() => 1)),
      sizes: made(prospects.slice(0, this.#factors.length)),
      screens: made(screened.map(() => 1)),
    }
    this.#tile = at.kernels.allocate(shape.channels * tilePixels, at.precision)
    this.#pool = at.kernels.allocate(poolSize * (1 + this.#tile.length), at.precision)
    this.#held = at.kernels.allocate(this.#cells.count, at.precision)
    this.#change = new Float32Array(this.#cells.count)
    this.#shares = new Float64Array(this.#cells.across)
    this.#ends = { high: this.#sumsAt(at, 1), low: this.#sumsAt(at, -1) }
    this.memory = {
      vectors: { tile: this.#tile, pool: this.#pool, values: this.#values, held: this.#held },
      state: this.#state,
      parts: {
        kinds: this.#arms.kinds.memory,
        sizes: this.#arms.sizes.memory,
        screens: this.#arms.screens.memory,
        model: this.#model.memory,
      },
    }
  }

  open(iteration: number, into: Vector): void {
    const { height, width } = this.#shape
    Object.assign(this.#state, { isOwn: true, kind: 0, size: 0, screen: 0, top: 0, left: 0, height, width })
    this.#plain.open?.(iteration, into)
  }

  next(kept: Vector, iteration: number, attempt: number, into: Vector): boolean | Spans {
    const state = this.#state
    const address = { seed: this.#seed, iteration, row: firstRow + rowsPerAttempt * attempt }
    const uniform = (index: number): number => randomUniform(address, 'coordinates', index)
    const isTexture = this.#shape.channels > 1 && this.#model.learned <= textureTrials
    state.isOwn = !isTexture && uniform(draws.own) < ownShare
    if (state.isOwn) return this.#laySquare(kept, iteration, attempt, into)
    const isReady = this.#model.learned >= firstAnswers
    const isUsable = (kind: number): boolean => {
      const name = kinds[kind] as Kind
      return this.#useful.includes(name) && (name !== 'pool' || state.pooled > 0) && (name !== 'slope' || isReady)
    }
    state.kind = isTexture ? kinds.indexOf('texture') : this.#arms.kinds.draw(uniform(draws.kind), isUsable)
    state.size = this.#arms.sizes.draw(uniform(draws.size))
    state.screen = isReady ? this.#arms.screens.draw(uniform(draws.screen)) : 0
    const chosen = this.#choose(iteration, address)
    Object.assign(state, chosen.window, { tileSide: chosen.tileSide })
    this.#tile.set(chosen.tile)
    return this.#lay(chosen, kept, into)
  }

  learn(tried: Vector, kept: Vector, rise: number, answers: Answers): void {
    const state = this.#state
    const { top, left, height, width, isOpen } = state
    const around = this.#cells.sums(tried, kept, this.#radius, { top, left, height, width }, this.#change)
    this.#readRises(rise, answers)
    const isKnown = isOpen || (!this.detailed && !Number.isNaN(rise))
    const random = { seed: this.#seed, iteration: this.#model.learned, row: learningRow }
    if (isKnown) this.#model.learn(this.#change, around, this.#rises, random)
    if (!isOpen || rise < 0) {
      state.isOpen = true
      this.#values.set(this.#triedValues)
      this.#cells.each(around, (packed, cell) => {
        this.#held[cell] = (this.#held[cell] as number) + (this.#change[packed] as number)
      })
      if (isOpen) this.#noteHelp(-rise)
    }
    if (!isOpen) return
    const gain = state.usualGain > 0 ? Math.min(mostGain, Math.max(0, -rise) / state.usualGain) : 0
    this.#arms.kinds.note(state.kind, gain)
    this.#arms.screens.note(state.screen, gain)
    if (!state.isOwn) this.#arms.sizes.note(state.size, gain)
  }

  settle(): void {}

  /** Square's own proposal. */
  #laySquare(kept: Vector, iteration: number, attempt: number, into: Vector): boolean | Spans {
    const { width } = this.#shape
    const spans = this.#plain.next(kept, iteration, attempt, into) as Spans
    const rows = spans.length / this.#shape.channels
    const [from, to] = spans[0] as Spans[number]
    const place = { top: Math.floor(from / width), left: from % width, height: rows, width: to - from }
    Object.assign(this.#state, place, { kind: 0, size: 0, screen: 0, tileSide: 1 })
    return spans
  }

  /** Draws one proposal, or several of which the model sees the value lowest after one. */
  #choose(iteration: number, { row }: RandomRow): Proposal {
    const { kind, size, screen } = this.#state
    const { height, width } = this.#shape
    const name = kinds[kind] as Kind
    const isWhole = name === 'texture'
    const usual = (this.#factors[size] as number) * this.#sideAt(iteration) * (name === 'slope' ? 2 : 1)
    const side = Math.max(1, Math.round(usual))
    const extent = isWhole ? { height, width } : { height: Math.min(side, height), width: Math.min(side, width) }
    let best: Proposal | undefined
    let least = Infinity
    const count = isWhole ? 1 : (screened[screen] as number)
    for (let i = 0; i < count; i++) {
      const drawn = this.#draw(name, extent, { seed: this.#seed, iteration, row: row + 1 + i })
      const value = count === 1 ? 0 : this.#expected(drawn)
      if (best !== undefined && !(value < least)) continue
      best = drawn
      least = value
    }
    return best as Proposal
  }

  #draw(kind: Kind, { height, width }: Pick<Window, 'height' | 'width'>, random: RandomRow): Proposal {
    const { channels, ...image } = this.#shape
    const uniform = (index: number): number => randomUniform(random, 'coordinates', index)
    const sign = (index: number): number => (randomWord(random, 'coordinates', index) % 2 === 0 ? 1 : -1)
    const top = randomInteger(random, 'coordinates', 0, image.height - height + 1)
    const left = randomInteger(random, 'coordinates', 1, image.width - width + 1)
    const tile = new Int8Array(channels * tilePixels)
    const drawn = { kind, window: { top, left, height, width }, tileSide: 1, tile, output: 0, beside: -1, random }
    const signOf = (channel: number): number => sign(4 + channel)
    const first = 4 + channels
    if (kind === 'plain' || kind === 'flip') for (let c = 0; c < channels; c++) tile[c] = signOf(c)
    if (kind === 'flip' && channels === 1) tile[0] = 1
    if (kind === 'slope') this.#aim(uniform, drawn)
    if (kind === 'tile') {
      drawn.tileSide = uniform(2) < 0.7 ? 2 : 4
      const pixels = drawn.tileSide * drawn.tileSide
      const isGray = drawn.tileSide === 2 && uniform(3) < 0.3
      for (let i = 0; i < channels * pixels; i++) {
        tile[i] = isGray ? signOf(Math.floor(i / pixels)) * sign(first + (i % pixels)) : sign(first + i)
      }
    }
    if (kind === 'pool') {
      const known = Math.min(poolSize, this.#state.pooled)
      const from = randomInteger(random, 'coordinates', 2, known) * (1 + tile.length)
      drawn.tileSide = this.#pool[from] as number
      const pixels = drawn.tileSide * drawn.tileSide
      const isTurned = uniform(3) < 0.3
      for (let i = 0; i < channels * pixels; i++) {
        const turn = isTurned ? signOf(Math.floor(i / pixels)) : 1
        tile[i] = turn * (this.#pool[from + 1 + i] as number)
      }
    }
    return drawn
  }

  /**
   * Which output to lower: that of the nearest competing class, mostly, or of one of the next; on the way to a class that of this
   * class, beside the class that is ahead.
   */
  #aim(uniform: (index: number) => number, into: Proposal): void {
    if (this.#classes === undefined) return
    const { label, target } = this.#classes
    const values = this.#values
    const order = Array.from(values.keys()).filter((j) => j !== target && j !== label && Number.isFinite(values[j]))
    order.sort((one, other) => (values[one] as number) - (values[other] as number) || one - other)
    const pick = uniform(2) < 0.7 ? 0 : Math.floor(uniform(3) * Math.min(3, order.length))
    const rival = order[pick] ?? label
    into.output = target ?? rival
    const isAhead = target !== undefined && rival !== label && (values[rival] as number) < 0
    into.beside = isAhead ? rival : -1
  }

  /** The slope along a cell of what a proposal is to lower. */
  #slope({ output, beside }: Proposal, cell: number): number {
    const slope = this.#model.slope(output, cell)
    return beside < 0 ? slope : slope - this.#model.slope(beside, cell)
  }

  /** What the model expects of the value after a proposal, up to a constant. */
  #expected(proposal: Proposal): number {
    const around = this.#cells.around(proposal.window)
    this.#changeBy(proposal, around)
    if (this.#classes === undefined) return this.#model.rise(0, this.#change, around)
    const { label, target } = this.#classes
    // The lead of the class to get away from over the others; over itself it has none.
    let least = target === undefined ? Infinity : 0
    let aimed = 0
    for (let output = 0; output < this.#values.length; output++) {
      const value = this.#values[output] as number
      if (output === label || !Number.isFinite(value)) continue
      const lead = value + this.#model.rise(output, this.#change, around)
      if (output === target) aimed = lead
      else least = Math.min(least, lead)
    }
    return target === undefined ? least : aimed - least
  }

  /** The change of cells that a proposal makes: to the bit where cells are pixels, else about. */
  #changeBy(proposal: Proposal, around: Window): void {
    const { kind, window, tileSide, tile } = proposal
    const { high, low } = this.#ends
    const { down, across, side, channels } = this.#cells
    const pixels = tileSide * tileSide
    const isWhole = side === 1
    for (let i = 0; i < around.width; i++)
      this.#shares[i] = isWhole ? 1 : this.#cells.coveredAcross(window, around.left + i)
    for (let channel = 0, packed = 0; channel < channels; channel++) {
      const ones = shareOfOnes(tile, channel * pixels, pixels)
      for (let row = around.top; row < around.top + around.height; row++) {
        const tall = isWhole ? 1 : this.#cells.coveredDown(window, row)
        const line = channel * pixels + (row % tileSide) * tileSide
        for (let i = 0; i < around.width; i++, packed++) {
          const column = around.left + i
          const cell = (channel * down + row) * across + column
          const [up, under, held] = [high[cell] as number, low[cell] as number, this.#held[cell] as number]
          let to = held
          if (kind === 'slope') {
            const slope = this.#slope(proposal, cell)
            if (slope !== 0) to = slope < 0 ? up : under
          } else if (kind === 'flip') {
            if (tile[channel] === 1) to = up + under - held
          } else {
            const share = isWhole ? Number(tile[line + (column % tileSide)] === 1) : ones
            to = share * up + (1 - share) * under
          }
          this.#change[packed] = tall * (this.#shares[i] as number) * (to - held)
        }
      }
    }
  }

  /** Writes a proposal into a point. */
  #lay(proposal: Proposal, kept: Vector, into: Vector): Spans {
    const { kind, window, tileSide, tile, random } = proposal
    const { channels, height, width } = this.#shape
    const { side, down, across } = this.#cells
    const ends = Float64Array.of(-this.#radius, this.#radius)
    const texture = kind === 'texture' ? textureOf(random) : undefined
    const isTiled = kind === 'plain' || kind === 'tile' || kind === 'pool'
    const spans: [number, number][] = []
    for (let channel = 0; channel < channels; channel++) {
      if (kind === 'flip' && tile[channel] !== 1) continue
      for (let row = window.top; row < window.top + window.height; row++) {
        const first = (channel * height + row) * width
        const line = (channel * tileSide + (row % tileSide)) * tileSide
        spans.push([first + window.left, first + window.left + window.width])
        if (isTiled) {
          for (let i = 0; i < tileSide; i++) this.#line[i] = ends[Number(tile[line + i] === 1)] as number
          addRepeated(this.#origin, this.#line, tileSide, window.left, into, first, window.width)
          continue
        }
        const cells = (channel * down + Math.floor(row / side)) * across
        const end = window.left + window.width
        for (let column = window.left, next = 0; kind === 'slope' && column < end; column = next) {
          const cell = Math.floor(column / side)
          next = Math.min(end, (cell + 1) * side)
          const slope = this.#slope(proposal, cells + cell)
          if (slope === 0) continue
          this.#line[0] = ends[Number(slope < 0)] as number
          addRepeated(this.#origin, this.#line, 1, column, into, first, next - column)
        }
        for (let column = window.left; kind !== 'slope' && column < end; column++) {
          const i = first + column
          let isUp = false
          if (kind === 'flip') isUp = !((kept[i] as number) > (this.#origin[i] as number))
          else if (texture !== undefined) isUp = texture(channel, row, column)
          into[i] = (this.#origin[i] as number) + (ends[Number(isUp)] as number)
        }
      }
    }
    return spans
  }

  /** What each output of the model has become, and by how much that is more than it was. */
  #readRises(rise: number, { notes }: Answers): void {
    if (!this.detailed) {
      this.#rises[0] = rise
      return
    }
    const classes = this.#values.length
    const from = (notes?.length ?? 0) - classes
    for (let j = 0; j < classes; j++) {
      const own = (notes?.[from + j] ?? Number.NaN) - this.#squares
      this.#triedValues[j] = own
      this.#rises[j] = own - (this.#values[j] as number)
    }
  }

  /** A proposal was kept: its gain counts for what is usual, and its tile is remembered. */
  #noteHelp(gain: number): void {
    const state = this.#state
    state.usualGain = state.usualGain === 0 ? gain : 0.9 * state.usualGain + 0.1 * gain
    if (state.isOwn || state.tileSide === 1) return
    const to = (state.pooled % poolSize) * (1 + this.#tile.length)
    this.#pool[to] = state.tileSide
    this.#pool.set(this.#tile, to + 1)
    state.pooled++
  }

  /** The changes of cells where every pixel is at one side of the limit, as far as the set lets it. */
  #sumsAt(at: RunContext, side: 1 | -1): Float32Array {
    const x = at.start.slice()
    for (let i = 0; i < x.length; i++) x[i] = (x[i] as number) + side * this.#radius
    projectInto(at)(x)
    const { height, width } = this.#shape
    const sums = new Float32Array(this.#cells.count)
    this.#cells.sums(x, this.#origin, this.#radius, { top: 0, left: 0, height, width }, sums)
    return sums
  }
}

/** into = from + a pattern of `period` entries, again and again along a line, of which a part is written. */
function addRepeated(
  from: Vector,
  pattern: Float64Array,
  period: number,
  start: number,
  into: Vector,
  first: number,
  length: number,
): void {
  const end = first + start + length
  for (let i = first + start, at = start % period; i < end; i++) {
    into[i] = (from[i] as number) + (pattern[at] as number)
    if (++at === period) at = 0
  }
}

function squaresBetween(a: Vector, b: Vector): number {
  let squares = 0
  for (let i = 0; i < a.length; i++) {
    const change = (a[i] as number) - (b[i] as number)
    squares += change * change
  }
  return squares
}

function shareOfOnes(tile: Int8Array, from: number, count: number): number {
  let ones = 0
  for (let i = from; i < from + count; i++) if (tile[i] === 1) ones++
  return ones / count
}

/** A square wave down the image times one across it; every channel has phases and a sign of its own. */
function textureOf(random: RandomRow): (channel: number, row: number, column: number) => boolean {
  const uniform = (index: number): number => randomUniform(random, 'coordinates', index)
  const [down, across] = [0, 1].map((i) => frequencies[Math.floor(uniform(2 + i) * frequencies.length)] as number)
  const phases: Record<number, readonly [sign: boolean, down: number, across: number]> = {}
  return (channel, row, column) => {
    phases[channel] ??= [uniform(4 + 3 * channel) < 0.5, uniform(5 + 3 * channel), uniform(6 + 3 * channel)]
    const [isTurned, phaseDown, phaseAcross] = phases[channel]
    const isEven = isCrest(down as number, row, phaseDown) === isCrest(across as number, column, phaseAcross)
    return isEven !== isTurned
  }
}

/** Whether a square wave is up; a frequency of 0 is level whatever its phase. */
function isCrest(frequency: number, place: number, phase: number): boolean {
  if (frequency === 0) return true
  const cycles = frequency * place + phase
  return cycles - Math.floor(cycles) < 0.5
}
