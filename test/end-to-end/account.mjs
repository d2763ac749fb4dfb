// Runs of several kinds with their last bits, by whatever has imported the package: so that runtimes can be compared.

/** @param {ArrayLike<number>} x */
function valley(x) {
  let sum = 0
  for (let i = 1; i < x.length; i++) {
    const [before, at] = [Number(x[i - 1]), Number(x[i])]
    const [rest, rise] = [1 - before, at - before * before]
    sum += rest * rest + 100 * rise * rise
  }
  return sum
}

/** @param {{ rate: number, width: number, mode: string }} x */
function named({ rate, width, mode }) {
  return (rate - 0.01) * (rate - 0.01) + width * width + (mode === 'fast' ? 0 : 1)
}

/** @param {import('../../src/index.ts').Result | import('../../src/index.ts').Outcome} result */
const bits = ({ stopReason, queries, value, point }) => [stopReason, queries, value, ...point]

/** @param {typeof import('../../src/index.ts')} zeroth */
export async function account(zeroth) {
  const { box, cmaES, createSession, minimize, points, zoAdaMM } = zeroth
  const variables = /** @type {const} */ ({
    rate: { from: 1e-5, to: 0.1, scale: 'log' },
    width: { from: -1, to: 4 },
    mode: { choices: ['best', 'fast'] },
  })
  const session = createSession([1, 2, 3], { solver: zoAdaMM(), seed: 6, maxIterations: 40 })
  while (session.outcome === undefined) session.tell(points(session.ask()).map(valley))
  /** @param {Float64Array} x @param {{ iteration: number }} at */
  const noisy = (x, { iteration }) => valley(x) + (iteration % 7) / 128
  const set = box({ lower: -5, upper: 5 })
  return {
    auto: bits(await minimize(valley, new Float64Array(6), { seed: 1, maxQueries: 900 })),
    bounded: bits(await minimize(valley, [1, 2, 3], { seed: 2, maxQueries: 400, solver: cmaES(), set })),
    noisy: bits(await minimize(noisy, [1, 2, 3], { seed: 3, maxQueries: 400 })),
    named: bits(await minimize(named, { variables, seed: 4, maxQueries: 150 })),
    short: bits(
      await minimize(valley, new Float64Array(33), {
        seed: 5,
        maxQueries: 600,
        precision: 'float32',
        solver: zoAdaMM(),
      }),
    ),
    asked: bits(session.outcome),
  }
}
