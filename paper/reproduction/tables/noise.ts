import { type RandomRow, randomUniform } from '../../../src/index.ts'
import { methodOf, type ProblemName } from '../../methods.ts'
import { perImageCell, universalCell } from './cells.ts'
import type { Cell, Experiment, Results } from './experiment.ts'
import { attackedImages } from './measures.ts'
import type { Plan } from './plan.ts'
import { table2, tableA3 } from './published.ts'
import { chosenRate } from './rates.ts'

/** ZO-AdaMM as it steps: Algorithm 1 divides by the root of the largest v so far, the authors' universal code by that of v. */
export interface NoiseSteps {
  readonly rate: number
  readonly iterations: number
  readonly beta2: number
  readonly divisor: 'maximum' | 'v'
  /** Coordinates that are followed; they are all alike. */
  readonly coordinates?: number
}

const beta1 = 0.9
const directions = 10

/**
 * The mean square of a coordinate after so many steps of rate / sqrt(t) where estimates are noise alone: of each estimate
 * all coordinates are normal, with a scale in common that is the length of the slopes along ten random directions. How
 * long the gradient is does not matter: ZO-AdaMM divides by it.
 */
export function noiseWalk({ rate, iterations, beta2, divisor, coordinates = 5000 }: NoiseSteps): number {
  const m = new Float64Array(coordinates)
  const v = new Float64Array(coordinates)
  const most = new Float64Array(coordinates)
  const x = new Float64Array(coordinates)
  for (let t = 1; t <= iterations; t++) {
    const normal = normals({ seed: 1, iteration: t, row: 0 }, coordinates + directions)
    const slopes = normal.subarray(coordinates).reduce((sum, each) => sum + each * each, 0)
    const scale = Math.sqrt(slopes / directions)
    for (let i = 0; i < coordinates; i++) {
      const g = scale * (normal[i] as number)
      m[i] = beta1 * (m[i] as number) + (1 - beta1) * g
      v[i] = beta2 * (v[i] as number) + (1 - beta2) * g * g
      most[i] = Math.max(most[i] as number, v[i] as number)
      const square = (divisor === 'maximum' ? most[i] : v[i]) as number
      x[i] = (x[i] as number) - ((rate / Math.sqrt(t)) * (m[i] as number)) / Math.sqrt(square)
    }
  }
  return x.reduce((sum, each) => sum + each * each, 0) / coordinates
}

/** Normal numbers by Box and Muller, the same on every machine but for the last bits of the logarithm. */
function normals(row: RandomRow, count: number): Float64Array {
  const uniform = Float64Array.from({ length: count + (count % 2) }, (_, i) => randomUniform(row, 'noise', i))
  return uniform.map((_, i) => {
    const even = i - (i % 2)
    const radius = Math.sqrt(-2 * Math.log(1 - (uniform[even] as number)))
    const angle = 2 * Math.PI * (uniform[even + 1] as number)
    return radius * (i % 2 === 0 ? Math.cos(angle) : Math.sin(angle))
  })
}

/** How ZO-AdaMM steps in an attack of a plan; `Algorithm 1` as it is printed whatever the profile. */
function stepsOf({ profile }: Pick<Plan, 'profile'>, isUniversal: boolean): Pick<NoiseSteps, 'beta2' | 'divisor'> {
  if (profile !== 'reference') return { beta2: 0.3, divisor: 'maximum' }
  return isUniversal ? { beta2: 0.3, divisor: 'v' } : { beta2: 0.9, divisor: 'maximum' }
}

/** A change of the variable w moves a pixel (1 + tanh w) / 2 by half as much at most. */
const steepest = 0.25

interface NoiseAttack {
  readonly problem: ProblemName | 'universal'
  readonly rate: number
  readonly cell: Cell
}

function noiseAttacks(plan: Plan, results: Results): NoiseAttack[] {
  const problems = ['unconstrained', 'constrained', 'universal'] as const
  return problems.flatMap((problem): NoiseAttack[] => {
    const rate = chosenRate(plan, results, problem, 'zo-adamm')
    if (rate === undefined) return []
    const isUniversal = problem === 'universal'
    const make = () =>
      isUniversal
        ? universalCell(plan, 'zo-adamm', rate, 'universal')
        : perImageCell(plan, problem, methodOf(problem, 'zo-adamm').name, rate)
    return [{ problem, rate, cell: make() }]
  })
}

/** How far ZO-AdaMM comes, and how far noise alone would carry it: one runs with what the paper says, one as its code does. */
export const noise: Experiment = {
  name: 'noise',
  title: 'How far noise alone carries ZO-AdaMM',
  cells: (plan, results) => noiseAttacks(plan, results).map(({ cell }) => cell),
  draw: (plan, results) => ({
    tables: [
      {
        file: 'noise',
        caption:
          'ZO-AdaMM at the end of each attack, mean over all images, beside the distance that it walks where estimates are noise alone, and beside that of Algorithm 1 with the settings printed in the paper',
        columns: [
          { key: 'problem', title: 'attack' },
          { key: 'rate', title: 'rate', as: 'rate' },
          { key: 'images', title: 'images', as: 'number' },
          { key: 'iterations', title: 'iterations', as: 'number' },
          { key: 'success', title: 'success', as: 'percent' },
          { key: 'paperSuccess', title: 'paper', as: 'percent', paper: true },
          { key: 'finalL2sq', title: '‖δ‖² at end', as: 'number' },
          { key: 'paperFinalL2sq', title: 'paper', as: 'number', paper: true, digits: 2 },
          { key: 'noise', title: 'noise alone', as: 'number' },
          { key: 'printed', title: 'noise alone, as printed', as: 'number' },
        ],
        rows: noiseAttacks(plan, results).flatMap((attack) => rowsOf(plan, results, attack)),
      },
    ],
    remarks: [
      'With 10 directions in hundreds of thousands of dimensions an estimate is nearly noise, and a method that divides by its size walks a distance that depends on rate, iterations and betas, and hardly on the network: d times the mean square of a coordinate, from 5,000 coordinates of a simulation, good to a few per cent. Steps stop growing where an image is fooled: then only the distortion is left to minimise.',
      'Unconstrained attacks change a variable w of each pixel (1 + tanh w) / 2: noise alone carries them at most as far as the table says, and as far as that only if all pixels are grey.',
    ],
  }),
}

function rowsOf(plan: Plan, results: Results, { problem, rate, cell }: NoiseAttack) {
  const report = results.report(cell)
  const shape = results.shape(cell)
  if (report === undefined || shape === undefined) return []
  const isUniversal = problem === 'universal'
  const ends = attackedImages(report).flatMap(({ final }) => final?.l2sq ?? [])
  const iterations = Number(cell.spec.maxIterations)
  const size = shape.channels * shape.height * shape.width * (problem === 'unconstrained' ? steepest : 1)
  const printed = { profile: 'paper' } as const
  const printedRate = chosenRate({ ...plan, ...printed }, results, problem, 'zo-adamm') ?? rate
  const walk = (rate: number, of: Pick<Plan, 'profile'>): number =>
    Number((size * noiseWalk({ rate, iterations, ...stepsOf(of, isUniversal) })).toPrecision(2))
  const paper = isUniversal ? table2['zo-adamm'] : tableA3[problem]['zo-adamm']
  return [
    {
      problem,
      rate,
      images: ends.length,
      iterations,
      success: report.summary.attackSuccessRate,
      paperSuccess: paper?.successRate,
      finalL2sq: ends.reduce((sum, each) => sum + each, 0) / ends.length,
      paperFinalL2sq: paper?.finalL2sq,
      noise: walk(rate, plan),
      printed: walk(printedRate, printed),
    },
  ]
}
