import { ZerothError } from '../core/errors.ts'
import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Mirror } from '../core/types.ts'
import { exponential } from '../kernels/exponential.ts'

/**
 * Mirror descent with psi(x) = sum x_i ln x_i on the simplex: x_i <- x_i exp(-rate g_i) / Z.
 * Stays strictly inside, so the start must not have zeros where the answer has none.
 */
export const entropy = definePart({
  kind: 'mirror',
  name: 'entropy',
  summary: 'Multiplicative steps on the simplex.',
  options: table({}),
  examples: () => [{}],
  make: (): Mirror => ({
    begin({ set, dim }) {
      const total = set.simplexSum
      if (total === undefined) {
        throw new ZerothError('invalid-set', 'entropy works on a simplex only; give set: simplex({ sum })')
      }
      const exponents = new Float64Array(dim)
      return {
        advance(x, rate, move) {
          let largest = -Infinity
          for (let i = 0; i < dim; i++) {
            const root = move.squares === null ? 1 : Math.sqrt(move.squares[i] as number)
            const step = move.direction[i] as number
            exponents[i] = step === 0 ? 0 : -rate * (step / root)
            if ((x[i] as number) > 0) largest = Math.max(largest, exponents[i] as number)
          }
          let sum = 0
          for (let i = 0; i < dim; i++) {
            // Shifted by the largest exponent: the normalisation cancels it, and nothing overflows.
            // Zeros stay zeros: their exponents do not enter the largest and may overflow.
            const value = x[i] as number
            exponents[i] = value > 0 ? value * exponential((exponents[i] as number) - largest) : 0
            sum += exponents[i] as number
          }
          if (!(sum > 0 && sum < Infinity)) return
          for (let i = 0; i < dim; i++) x[i] = ((exponents[i] as number) / sum) * total
        },
      }
    },
  }),
})
