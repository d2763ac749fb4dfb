import { isObject } from '../../optimizer/core/options.ts'
import { shellWord } from '../../optimizer/core/shell-word.ts'
import type { Start, Value, Variables } from '../../optimizer/core/variable-types.ts'
import { namedVariables } from '../../optimizer/core/variables.ts'
import { settingWords } from '../objectives/index.ts'
import { type RunResult, readOverview } from '../store/index.ts'
import { type Comparison, type Gain, gainOf, readComparison } from './compare-start.ts'
import { readPoints, type TriedPoint, type TriedPoints } from './points.ts'

/** A setting of a program: its variables, its command line, and what it was measured at. */
export interface TunedSetting {
  /** By whole names, without what does not matter. */
  readonly variables: Readonly<Record<string, Value>>
  /** To copy into a shell. */
  readonly command: string
  /** As people know it: what is to be large is large. NaN where it was not measured. */
  readonly value: number
}

/** What the tuning of a program has found, so far or in the end. */
export interface Tuned {
  readonly run: RunResult | undefined
  /** What is measured, as in `time` or `json:.tps`. */
  readonly measure: string
  readonly maximize: boolean
  /** Undefined where no setting has had a value. */
  readonly best: TunedSetting | undefined
  /** Where it began: the program's own defaults, where they were given. */
  readonly start: TunedSetting
  readonly comparison: Comparison | undefined
  readonly gain: Gain | undefined
  readonly tried: TriedPoints
}

/** Whether a spec is that of a program to be tuned. */
export function isTuning({ objective }: Readonly<Record<string, unknown>>): boolean {
  return isObject(objective) && objective.name === 'command'
}

/** What the tuning in a folder has found, also one that is at work; undefined where the run is none. */
export async function readTuned(folder: string): Promise<Tuned | undefined> {
  const { meta, result } = await readOverview(folder)
  const tried = await readPoints(folder)
  if (!isTuning(meta.spec) || tried === undefined) return undefined
  const objective = meta.spec.objective as Readonly<Record<string, unknown>>
  const { maximize } = tried
  const setting = (numbers: ArrayLike<number>, value: number) =>
    settingAt(objective, tried.variables, numbers, maximize ? 0 - value : value)
  const best = bestPoint(tried)
  const found = result === undefined || Number.isNaN(result.value) ? undefined : setting(result.point, result.value)
  const own = best && settingAt(objective, tried.variables, best.numbers, best.value)
  const comparison = readComparison(folder)
  const isCurrent = comparison !== undefined && comparison.hash === result?.hash
  const { start: given } = meta.spec
  const start = namedVariables(tried.variables).ownStart(
    isObject(given) || Array.isArray(given) ? (given as Start) : undefined,
  )
  return {
    run: result,
    measure: String(objective.measure),
    maximize,
    best: found ?? own,
    start: settingAt(objective, tried.variables, start, startValue(tried, start)),
    comparison: isCurrent ? comparison : undefined,
    gain: isCurrent ? gainOf(comparison, maximize) : undefined,
    tried,
  }
}

/** The first of the best points; undefined where none has a value. */
function bestPoint({ points, maximize }: TriedPoints): TriedPoint | undefined {
  const sign = maximize ? -1 : 1
  return points.reduce<TriedPoint | undefined>((best, each) => {
    if (each.status !== 'ok' && each.status !== 'cached') return best
    return best === undefined || sign * each.value < sign * best.value ? each : best
  }, undefined)
}

function startValue({ points }: TriedPoints, start: Float64Array): number {
  return points.find(({ numbers }) => start.every((each, i) => each === numbers[i]))?.value ?? Number.NaN
}

function settingAt(
  objective: Readonly<Record<string, unknown>>,
  declared: Variables,
  numbers: ArrayLike<number>,
  value: number,
): TunedSetting {
  const named = namedVariables(declared)
  const values = named.values(numbers)
  const variables = Object.fromEntries(
    named.names.flatMap((name, i): [string, Value][] => {
      const each = values[i]
      return each === undefined ? [] : [[name, each]]
    }),
  )
  const { words, env } = settingWords(objective as Parameters<typeof settingWords>[0], named, numbers)
  const settings = env.map(([name, each]) => `${name}=${lineWord(each)}`)
  return { variables, command: [...settings, ...words.map(lineWord)].join(' '), value }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a line must not have.
const control = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g

/** A word of a command line that is one line to copy, whatever is in it. */
function lineWord(word: string): string {
  if (word.search(control) < 0) return shellWord(word)
  const escaped = word.replace(/[\\']/g, '\\$&').replace(control, (each) => {
    const code = each.charCodeAt(0)
    return each === '\n' ? '\\n' : code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
  })
  return `$'${escaped}'`
}
