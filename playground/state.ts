import { functions, ownExample, ownPlace } from './functions.ts'
import { solvers } from './solvers.ts'

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
export const attacks = ['strongest', 'square', 'sign-hunter', 'simba', 'zeroth', 'zo-adamm']

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
