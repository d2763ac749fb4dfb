/** A function of two variables, what part of it is shown, and where it is smallest. */
export interface PlaneFunction {
  readonly name: string
  readonly about: string
  /** The function as people write it; `value` is the same, to the last bit. */
  readonly code: string
  readonly value: (x: number, y: number) => number
  /** What is shown: from the lower to the upper end of both axes. */
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
  readonly start: readonly [number, number]
  /** The smallest value, and where it is. */
  readonly least: number
  readonly minima: readonly (readonly [number, number])[]
}

const { cos, exp, sqrt, PI } = Math

/** The functions to play with. */
export const functions: readonly PlaneFunction[] = [
  {
    name: 'Rosenbrock',
    about: 'a bent valley: easy to find, slow to follow',
    code: '(x, y) => 100 * (y - x * x) ** 2 + (1 - x) ** 2',
    value: (x, y) => 100 * (y - x * x) ** 2 + (1 - x) ** 2,
    x: [-2, 2],
    y: [-1, 3],
    start: [-1.2, 1],
    least: 0,
    minima: [[1, 1]],
  },
  {
    name: 'Himmelblau',
    about: 'four minima, all of them as good',
    code: '(x, y) => (x * x + y - 11) ** 2 + (x + y * y - 7) ** 2',
    value: (x, y) => (x * x + y - 11) ** 2 + (x + y * y - 7) ** 2,
    x: [-5, 5],
    y: [-5, 5],
    start: [-0.5, -1],
    least: 0,
    minima: [
      [3, 2],
      [-2.805118086952745, 3.131312518250573],
      [-3.779310253377747, -3.283185991286169],
      [3.584428340330492, -1.848126526964404],
    ],
  },
  {
    name: 'Rastrigin',
    about: 'a bowl full of dents: each of them a trap',
    code: '(x, y) => 20 + x * x + y * y - 10 * (Math.cos(2 * Math.PI * x) + Math.cos(2 * Math.PI * y))',
    value: (x, y) => 20 + x * x + y * y - 10 * (cos(2 * PI * x) + cos(2 * PI * y)),
    x: [-5.12, 5.12],
    y: [-5.12, 5.12],
    start: [3.2, -2.6],
    least: 0,
    minima: [[0, 0]],
  },
  {
    name: 'Ackley',
    about: 'nearly flat outside, a funnel in the middle',
    code: '(x, y) => 20 + Math.E - 20 * Math.exp(-0.2 * Math.sqrt((x * x + y * y) / 2)) - Math.exp((Math.cos(2 * Math.PI * x) + Math.cos(2 * Math.PI * y)) / 2)',
    value: (x, y) =>
      20 + Math.E - 20 * exp(-0.2 * sqrt((x * x + y * y) / 2)) - exp((cos(2 * PI * x) + cos(2 * PI * y)) / 2),
    x: [-5, 5],
    y: [-5, 5],
    start: [3.5, -3],
    least: 0,
    minima: [[0, 0]],
  },
  {
    name: 'Beale',
    about: 'flat nearly everywhere, steep in the corners',
    code: '(x, y) => (1.5 - x + x * y) ** 2 + (2.25 - x + x * y * y) ** 2 + (2.625 - x + x * y ** 3) ** 2',
    value: (x, y) => (1.5 - x + x * y) ** 2 + (2.25 - x + x * y * y) ** 2 + (2.625 - x + x * y ** 3) ** 2,
    x: [-4.5, 4.5],
    y: [-4.5, 4.5],
    start: [-1, 2],
    least: 0,
    minima: [[3, 0.5]],
  },
  {
    name: 'Ellipse',
    about: 'a smooth bowl, a hundred times as long as wide',
    code: '(x, y) => (x + y) ** 2 + 1e4 * (x - y) ** 2',
    value: (x, y) => (x + y) ** 2 + 1e4 * (x - y) ** 2,
    x: [-3, 3],
    y: [-3, 3],
    start: [2.5, -1.5],
    least: 0,
    minima: [[0, 0]],
  },
  {
    name: 'Absolute',
    about: 'a kink along both axes: no gradient where it matters',
    code: '(x, y) => Math.abs(x) + 2 * Math.abs(y) + 0.5 * Math.abs(x - y)',
    value: (x, y) => Math.abs(x) + 2 * Math.abs(y) + 0.5 * Math.abs(x - y),
    x: [-3, 3],
    y: [-3, 3],
    start: [2.4, 1.8],
    least: 0,
    minima: [[0, 0]],
  },
]

/** What the own function begins as. */
export const ownExample = `(x, y) => {
  // Any JavaScript. It runs in a worker, without network.
  const wave = Math.sin(3 * x) * Math.cos(2 * y)
  return (x - 1) ** 2 + (y + 0.5) ** 2 + wave
}`

/** What is shown of an own function. */
export const ownPlace = { x: [-4, 4], y: [-4, 4], start: [-3, 3] } as const
