import { isObject } from '../../optimizer/core/options.ts'
import { shellWord } from '../../optimizer/core/shell-word.ts'
import type { Start, Value, Variables } from '../../optimizer/core/variable-types.ts'
import { namedVariables } from '../../optimizer/core/variables.ts'
import { commandDetails, settingWords } from '../objectives/index.ts'
import { type JournalRecord, journalRecords, type RunResult, readOverview } from '../store/index.ts'
import { type Comparison, type Gain, gainOf, readComparison } from './compare-start.ts'
import { isTuning } from './job.ts'

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

/** What a run with named variables has tried, and where a program is tuned, the command line of its best setting. */
export async function readTried(
  folder: string,
): Promise<{ tried: TriedPoints; command?: string | undefined } | undefined> {
  const tuned = await readTuned(folder)
  const tried = tuned?.tried ?? (await readPoints(folder))
  return tried && { tried, command: tuned?.best?.command }
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

/** What became of a query: it has a value, it broke a limit, it failed, or its answer was known already. */
export type PointStatus = 'ok' | 'infeasible' | 'failed' | 'cached'

/** A point that a run has tried. */
export interface TriedPoint {
  /** Counted from 1, in the order of the answers. */
  readonly query: number
  readonly iteration: number
  /** In the order of the names; undefined for what does not matter there. */
  readonly values: readonly (Value | undefined)[]
  /** In own units, of a choice its index: what a table with one number for each variable has. */
  readonly numbers: Float64Array
  /** As people know it: of a maximum, that which is to be large; NaN where there is none. */
  readonly value: number
  readonly status: PointStatus
  /** Why it has no value. */
  readonly reason?: string | undefined
  /** When it was answered, in seconds since the run began. */
  readonly at: number
  /** What was measured beside the value, in the order of `TriedPoints.details`. */
  readonly details: readonly number[]
}

/** All that a run with named variables has tried, oldest first. */
export interface TriedPoints {
  readonly names: readonly string[]
  readonly variables: Variables
  /** The names of what was measured beside the values. */
  readonly details: readonly string[]
  /** Whether larger values are better. */
  readonly maximize: boolean
  readonly points: readonly TriedPoint[]
  /** Queries whose points are not known: those of very long runs. */
  readonly missing: number
}

/** What a run has tried, also one that is at work; undefined if its variables have no names. */
export async function readPoints(folder: string): Promise<TriedPoints | undefined> {
  const { meta } = await readOverview(folder)
  const { variables, objective } = meta.spec
  if (!isObject(variables)) return undefined
  const named = namedVariables(variables as unknown as Variables)
  const dim = named.names.length
  const { name, constraints, maximize = false } = isObject(objective) ? objective : {}
  const limits = Array.isArray(constraints) ? constraints.map(String) : []
  const details = name === 'command' ? [...commandDetails, ...limits] : []
  const sign = name === 'command' && maximize === true ? -1 : 1
  const points: TriedPoint[] = []
  let query = 0
  let missing = 0
  for (const record of journalRecords(folder)) {
    const width = record.notes.length / Math.max(record.rows, 1)
    for (let row = 0; row < record.rows; row++) {
      if ((record.dropped?.[row] ?? 0) !== 0) continue
      query++
      if (width < dim) {
        missing++
        continue
      }
      const own = record.notes.subarray(row * width, row * width + dim)
      const beside = Array.from(record.notes.subarray(row * width + dim, (row + 1) * width))
      points.push({
        query,
        iteration: record.iteration,
        values: named.values(own),
        numbers: own,
        ...outcomeOf(record, row, beside, sign),
        at: record.seconds,
        details: details.map((_, k) => beside[k] ?? Number.NaN),
      })
    }
  }
  return {
    names: named.names,
    variables: variables as unknown as Variables,
    details,
    maximize: sign < 0,
    points,
    missing,
  }
}

type Outcome = Pick<TriedPoint, 'value' | 'status' | 'reason'>

/** Every limit was measured where one of them is broken. */
function outcomeOf(record: JournalRecord, row: number, beside: readonly number[], sign: 1 | -1): Outcome {
  if (record.failed[row] === 1) {
    const [, reason = 'no value'] = record.reasons.find(([of]) => of === row) ?? []
    const measured = beside[0] ?? Number.NaN
    return Number.isNaN(measured)
      ? { value: Number.NaN, status: 'failed', reason }
      : { value: measured, status: 'infeasible', reason }
  }
  const value = record.values[row] as number
  return { value: sign < 0 ? 0 - value : value, status: record.cached[row] === 1 ? 'cached' : 'ok' }
}
