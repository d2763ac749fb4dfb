import { describe, expect, test } from 'vitest'
import { restoreMemory, saveMemory } from '../../src/optimizer/core/part.ts'
import type { Move, Precision, Step, StepState } from '../../src/optimizer/core/types.ts'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { beginning } from './directions.ts'

const dim = 5
const iterations = 12

/** What every step must do, in both precisions. */
export function stepConforms(make: () => Step): void {
  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    const at = beginning(dim, { precision })
    const zero = () => at.kernels.allocate(dim, precision)

    /** Applies one gradient and returns all that the move says, copied. */
    const applied = (stepping: StepState, gradient: ArrayLike<number>, iteration: number) => {
      const direction = zero()
      direction.set(gradient)
      const move: Move = { direction, squares: null, metricSquares: null }
      at.start.set(pointAt(iteration))
      stepping.apply(move, iteration, at.start)
      return {
        direction: Array.from(move.direction),
        squares: move.squares && Array.from(move.squares),
        metricSquares: move.metricSquares && Array.from(move.metricSquares),
      }
    }

    test('its memory is all there is: copied into another run, that run goes on with the same bits', () => {
      const first = make().start(at)
      for (let iteration = 1; iteration <= iterations; iteration++) {
        const second = make().start(at)
        restoreMemory(second.memory, saveMemory(first.memory))
        const gradient = gradientAt(iteration)
        expect(applied(first, gradient, iteration)).toEqual(applied(second, gradient, iteration))
        expect(second.memory).toEqual(first.memory)
      }
    })

    test('two runs of one step share nothing', () => {
      const step = make()
      const [first, second, alone] = [step.start(at), step.start(at), make().start(at)]
      for (let iteration = 1; iteration <= iterations; iteration++) applied(first, gradientAt(iteration), iteration)
      expect(applied(second, gradientAt(1), 1)).toEqual(applied(alone, gradientAt(1), 1))
    })

    test('what is done to the direction afterwards does not reach its memory', () => {
      const [stepping, alone] = [make().start(at), make().start(at)]
      for (let iteration = 1; iteration <= iterations; iteration++) {
        const direction = zero()
        direction.set(gradientAt(iteration))
        const move: Move = { direction, squares: null, metricSquares: null }
        at.start.set(pointAt(iteration))
        stepping.apply(move, iteration, at.start)
        move.direction.fill(99)
        applied(alone, gradientAt(iteration), iteration)
      }
      expect(stepping.memory).toEqual(alone.memory)
    })

    test('its memory has the precision of the run', () => {
      for (const vector of Object.values(saveMemory(make().start(at).memory).vectors)) {
        expect(vector instanceof (precision === 'float32' ? Float32Array : Float64Array)).toBe(true)
      }
    })

    test('what goes in finite comes out finite', () => {
      const stepping = make().start(at)
      const huge = precision === 'float32' ? 1e17 : 1e140
      const gradients = [
        [0, huge, -huge, huge / 1e5, 1],
        [0, 0, 0, 0, 0],
        [0, 1e-200, -1e-30, 1e-45, -1],
        [-huge, -huge, huge, 0, 1e-8],
        ...Array.from({ length: 50 }, () => [0, 0, 0, 0, 1]),
      ]
      for (const [index, gradient] of gradients.entries()) {
        const { direction, squares, metricSquares } = applied(stepping, gradient, index + 1)
        expect(direction.every(Number.isFinite)).toBe(true)
        for (const each of [...(squares ?? []), ...(metricSquares ?? [])])
          expect(each >= 0 && each < Infinity).toBe(true)
        const { vectors, state } = saveMemory(stepping.memory)
        for (const vector of Object.values(vectors)) expect(vector.every(Number.isFinite)).toBe(true)
        for (const entry of Object.values(state)) expect(Number.isFinite(entry)).toBe(true)
      }
    })

    test('a gradient that has always been 0 gives no step', () => {
      const stepping = make().start(at)
      for (let iteration = 1; iteration <= 3; iteration++) {
        expect(applied(stepping, [0, 0, 0, 0, 0], iteration).direction.map(Math.abs)).toEqual([0, 0, 0, 0, 0])
      }
    })

    test('a gradient that stays the same is followed downhill', () => {
      const stepping = make().start(at)
      const gradient = [1, -2, 0.5, -0.25, 4]
      for (let iteration = 1; iteration <= 3; iteration++) {
        applied(stepping, gradient, iteration).direction.forEach((each, i) => {
          expect(Math.sign(each)).toBe(Math.sign(gradient[i] as number))
        })
      }
    })
  })
}

/** Where a run is: it moves away from its start and comes back. */
function pointAt(iteration: number): number[] {
  return Array.from({ length: dim }, (_, i) => 0.1 * i + Math.sin(0.5 * iteration))
}

function gradientAt(iteration: number): number[] {
  return Array.from({ length: dim }, (_, i) => 4 * randomUniform({ seed: 1, iteration, row: 0 }, 'noise', i) - 2)
}
