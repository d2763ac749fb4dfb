import { solvers } from './compute.ts'

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
const ownExample = `(x, y) => {
  // Any JavaScript. It runs in a worker, without network.
  const wave = Math.sin(3 * x) * Math.cos(2 * y)
  return (x - 1) ** 2 + (y + 0.5) ** 2 + wave
}`

/** What is shown of an own function. */
export const ownPlace = { x: [-4, 4], y: [-4, 4], start: [-3, 3] } as const

/** All that the reader has chosen; it is kept in the address, so that a link shows the same. */
export interface State {
  readonly tab: 'functions' | 'digits'
  /** The name of a function, or `own`. */
  readonly function: string
  readonly code: string
  readonly solver: string
  /** The second method; empty for none. */
  readonly rival: string
  readonly learningRate: number
  readonly queries: number
  readonly seed: number
  readonly noise: number
  readonly start: readonly [number, number]
  /** The digits: which image, how it is attacked, and how far each pixel may change. */
  readonly digit: number
  readonly attack: string
  readonly limit: number
}

const first = functions[0] as (typeof functions)[number]

/** What is shown first. */
export const initial: State = {
  tab: 'functions',
  function: first.name,
  code: ownExample,
  solver: 'auto',
  rival: 'cma-es',
  learningRate: 0.1,
  queries: 300,
  seed: 1,
  noise: 0,
  start: first.start,
  digit: 16,
  attack: 'square',
  limit: 0.08,
}

/** Limits of the numbers: an address may hold anything. */
const ranges = {
  learningRate: [1e-4, 1],
  queries: [10, 2000],
  seed: [0, 999_999],
  noise: [0, 10],
  digit: [0, 29],
  limit: [0.02, 0.4],
} as const

/** The state that an address holds; what it does not say, or says wrongly, is as at first. */
export function stateOf(hash: string): State {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const number = (name: keyof typeof ranges): number => {
    const [low, high] = ranges[name]
    const value = Number(given.get(name) ?? Number.NaN)
    return value >= low && value <= high ? value : initial[name]
  }
  const chosen = given.get('function')
  const known = functions.find(({ name }) => name === chosen)
  const place = chosen === 'own' ? ownPlace : (known ?? first)
  const start = (given.get('start') ?? '').split(',').map(Number)
  return {
    tab: given.get('tab') === 'digits' ? 'digits' : 'functions',
    function: chosen === 'own' ? 'own' : (known ?? first).name,
    code: given.get('code') ?? initial.code,
    solver: wordOf(given.get('solver'), Object.keys(solvers), initial.solver),
    rival: wordOf(given.get('rival'), ['', ...Object.keys(solvers)], initial.rival),
    learningRate: number('learningRate'),
    queries: Math.round(number('queries')),
    seed: Math.round(number('seed')),
    noise: number('noise'),
    start: start.length === 2 && start.every(Number.isFinite) ? (start as [number, number]) : place.start,
    digit: Math.round(number('digit')),
    attack: wordOf(given.get('attack'), attacks, initial.attack),
    limit: number('limit'),
  }
}

/** The methods that attack images. */
export const attacks = ['strongest', 'square', 'sign-hunter', 'simba', 'nearest-boundary', 'zo-adamm']

/** The address of a state: only what differs from the first one, and of an own function its code. */
export function hashOf(state: State): string {
  const said = Object.entries(state).flatMap(([name, value]) => {
    if (name === 'code' && state.function !== 'own') return []
    const text = Array.isArray(value) ? value.map((each) => Number(each.toPrecision(4))).join(',') : String(value)
    return text === String(initial[name as keyof State]) ? [] : [[name, text]]
  })
  return `#${new URLSearchParams(said)}`
}

function wordOf(given: string | null, words: readonly string[], otherwise: string): string {
  return given !== null && words.includes(given) ? given : otherwise
}

/** The program that does what is shown. */
export function asCode(state: State): string {
  const code = state.function === 'own' ? state.code : functions.find(({ name }) => name === state.function)?.code
  const methods = [state.solver, state.rival].flatMap((name) => solvers[name] ?? [])
  const imports = [...new Set(['minimize', ...methods.map((method) => method.import)])].sort()
  const options = `seed: ${state.seed}, maxQueries: ${state.queries}`
  const runs = methods.map(
    (method) => `{
  const solver = ${method.code(state.learningRate)}
  const { value, point, queries } = await minimize(([x, y]) => f(x, y), [${state.start.join(', ')}], { solver, ${options} })
  console.log(value, point, queries)
}`,
  )
  const note =
    state.noise > 0 ? [`// The page adds noise of up to ${state.noise} to every answer; this program does not.`] : []
  return [...note, `import { ${imports.join(', ')} } from 'zeroth'`, '', `const f = ${code}`, '', ...runs, ''].join(
    '\n',
  )
}

/** How an attack is made. */
export interface AttackSettings {
  readonly attack: string
  readonly limit: number
  readonly queries: number
  readonly seed: number
}

/** The command that attacks a model as it is shown, with all that the command line adds: the digits, if no other is named. */
export function asCommand(settings: AttackSettings, model: readonly string[] = ['--model', 'digits']): string {
  const { attack, limit, queries, seed } = settings
  const options = ['--solver', attack, '--linf', limit, '--max-queries', queries, '--seed', seed]
  return ['npx zeroth attack', ...model, ...options].join(' ')
}

/** The options that name a model and how it is fed; the images are the reader's to name. */
export function modelOptions(file: string, preprocessing: string): string[] {
  const fed = preprocessing === '{}' ? [] : ['--preprocessing', quoted(preprocessing)]
  return ['--model', quoted(file), '--images', 'FOLDER', ...fed]
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
