import { ZerothError } from '../../../optimizer/core/errors.ts'
import { type Summary, summarize } from '../../../optimizer/core/statistics.ts'
import type { Phase } from '../../../optimizer/core/types.ts'
import type { NamedPoint } from '../../../optimizer/core/variable-types.ts'
import type { TriedPoints } from '../../jobs/tuned.ts'
import { type Curve, curveOf } from '../chart/curve.ts'
import type { Markup } from '../markup.ts'
import { shortened } from '../number-text.ts'
import { groupedBy, lineName } from '../page/elements.ts'
import { type CurveStyle, curveStyle } from '../palette.ts'
import { verdictOf } from '../verdict.ts'

/** One number per iteration, in every column as many. */
export interface RunTrace {
  readonly iteration: ArrayLike<number>
  readonly queries: ArrayLike<number>
  /** The value at the point of the iteration; NaN if there was none. */
  readonly value: ArrayLike<number>
  /** The best value so far; NaN before the first. */
  readonly best: ArrayLike<number>
  /** Seconds since the run began. */
  readonly seconds: ArrayLike<number>
}

/** How a run ended. */
export interface RunEnd {
  readonly value: number
  readonly point: ArrayLike<number>
  /** The same by name, if variables have names. */
  readonly variables?: NamedPoint | undefined
  /** The answers at the point of a run whose answers vary. */
  readonly estimate?: { readonly mean: number; readonly error: number; readonly answers: number } | undefined
  readonly last: { readonly value: number }
  readonly queries: number
  readonly cacheHits: number
  readonly retries: number
  readonly iterations: number
  readonly stopReason: string
  readonly failures: { readonly count: number; readonly first?: string | undefined }
  readonly skippedIterations: number
  readonly warnings: readonly string[]
  readonly phases?: readonly Phase[] | undefined
  readonly seed: number
  readonly seconds: number
  readonly hash: string
}

/** What a run with named variables has tried, and the command line of its best setting where a program is tuned. */
export interface RunPoints {
  readonly tried: TriedPoints
  readonly command?: string | undefined
}

/** What a report reads of a run: all of it was recorded during the run. */
export interface RunData {
  readonly name: string
  readonly meta: {
    readonly id: string
    /** When the run was made, as ISO text. */
    readonly created: string
    /** The version of zeroth that made it. */
    readonly zeroth: string
    /** The resolved spec, which reruns the run exactly. */
    readonly spec: Readonly<Record<string, unknown>>
    readonly machine: Readonly<Record<string, unknown>>
  }
  /** `finished`, `aborted`, `failed`, `running` or `interrupted`. */
  readonly status: string
  /** Missing if the run has not ended. */
  readonly result?: RunEnd | undefined
  readonly trace: RunTrace
  /** Iterations of the run, if `trace` has only some of them. */
  readonly traceLength?: number | undefined
  /** What of the run could not be read, in words. */
  readonly problems?: readonly string[] | undefined
  /** All settings, where variables have names. */
  readonly points?: RunPoints | undefined
}

/** Refuses what cannot be reported: no run at all, or a trace whose columns differ in length. */
export function checkRuns(runs: readonly RunData[]): void {
  if (runs.length === 0) {
    throw new ZerothError('invalid-data', 'runPage: there are no runs to report, give at least one')
  }
  for (const { name, trace } of runs) {
    const lengths = Object.entries(trace).map(([column, { length }]) => `${column} ${length}`)
    if (new Set(Object.values(trace).map(({ length }) => length)).size > 1) {
      throw new ZerothError(
        'invalid-data',
        `runPage: the columns of the trace of run ${name} must be equally long, got ${lengths.join(', ')}`,
      )
    }
  }
}

/** The best value of a run: that of its result, or the latest its trace has; NaN if there is none. */
export function bestValue({ result, trace }: RunData): number {
  return result === undefined || Number.isNaN(result.value) ? latest(trace.best) : result.value
}

/** Whether answers vary and the run is judged by its last one: then the lowest it ever had are lower by luck. */
export function hasLuckyAnswers({ result, trace }: RunData): boolean {
  const lowest = latest(trace.best)
  return result !== undefined && lowest < result.value
}

/** Queries a run has used, as far as is known. */
export function queriesOf({ result, trace }: RunData): number {
  return result?.queries ?? latestCount(trace.queries)
}

/** Seconds a run has taken, as far as is known; NaN if its trace has not begun. */
export function secondsOf({ result, trace }: RunData): number {
  return result?.seconds ?? latest(trace.seconds)
}

/** Iterations a run has done, as far as is known. */
export function iterationsOf({ result, trace }: RunData): number {
  return result?.iterations ?? latestCount(trace.iteration)
}

/** The seed of a run, from its result or its spec. */
export function seedOf({ result, meta }: RunData): number | undefined {
  const { seed } = meta.spec
  return result?.seed ?? (typeof seed === 'number' ? seed : undefined)
}

/** Whether a run reached its own end: one that was stopped by hand or by a failure says little about its method. */
export function isFinished({ status, result }: RunData): boolean {
  return status === 'finished' && result !== undefined
}

/** What a run is drawn against. */
export type Progress = 'queries' | 'seconds'

/** The best value so far, to the very end of the run: the final point counts, too. */
export function bestCurve({ trace, result }: RunData, progress: Progress): Curve {
  const end = result === undefined ? [] : [{ x: result[progress], y: result.value }]
  return curveOf(trace[progress], trace.best, end)
}

/** The value at the point of each iteration. */
export function valueCurve({ trace }: RunData, progress: Progress): Curve {
  return curveOf(trace[progress], trace.value)
}

function latest(column: ArrayLike<number>): number {
  for (let i = column.length - 1; i >= 0; i--) if (!Number.isNaN(column[i])) return column[i] as number
  return Number.NaN
}

function latestCount(column: ArrayLike<number>): number {
  const last = latest(column)
  return Number.isNaN(last) ? 0 : last
}

/** What groups may be ranked by: medians, or means as the search for settings does. */
export type Ranking = 'median' | 'mean'

/** Runs whose specs are the same but for the seed. */
export interface RunGroup {
  /** What sets the group apart from the others. */
  readonly label: string
  readonly style: CurveStyle
  readonly runs: readonly RunData[]
  /** The runs that statistics are taken over: those that finished, or all if none did. */
  readonly counted: readonly RunData[]
  /** How the best value varied over the runs that count. */
  readonly value: Summary
  /** The statistic that groups are ranked by. */
  readonly ranking: Ranking
  /** The settings all its runs share. */
  readonly settings: Settings
}

/** Settings that name a group best, if they differ. */
const telling = ['solver.name', 'solver', 'objective.name', 'objective', 'dim']
const longest = 60

/** The groups of runs, best median or mean first. */
export function runGroups(runs: readonly RunData[], ranking: Ranking = 'median'): RunGroup[] {
  const collected = groupedBySpec(runs, ({ meta }) => meta.spec)
  const labels = groupLabels(
    collected.map(({ settings }) => settings),
    collected.map(({ members }) => (members[0] as RunData).name),
  )
  return collected
    .map(({ settings, members }, i) => ({
      settings,
      runs: members,
      label: labels[i] as string,
      ranking,
      ...counting(members),
    }))
    .sort((a, b) => order(rankedValue(a), rankedValue(b)))
    .map((group, i) => ({ ...group, style: curveStyle(i) }))
}

/** What is known of which group is better than the others on the same problem: a sentence per problem. */
export function groupVerdicts(groups: readonly RunGroup[]): { texts: string[]; p: Map<RunGroup, number> } {
  const problems = problemsOf(groups.map(({ settings }) => settings))
  const texts: string[] = []
  const p = new Map<RunGroup, number>()
  for (const [, those] of groupedBy(groups, (group) => problems[groups.indexOf(group)]?.key ?? '')) {
    const verdict = verdictOf(those.map(({ label, counted }) => ({ name: label, values: counted.map(bestValue) })))
    if (verdict === undefined) continue
    texts.push(verdict.text)
    for (const [i, each] of verdict.p.entries()) if (each !== undefined) p.set(those[i] as RunGroup, each)
  }
  return { texts, p }
}

/** The name of a group behind a sample of its line. */
export function groupName({ label, style }: RunGroup): Markup {
  return lineName(label, style)
}

/** The value a group is ranked by. */
export function rankedValue({ value, ranking }: Pick<RunGroup, 'value' | 'ranking'>): number {
  return value[ranking]
}

/** Whether statistics of a group leave runs out. */
export function leftOut({ runs, counted }: RunGroup): number {
  return runs.length - counted.length
}

/** Whether none of a group's runs has finished. */
export function isProvisional({ counted }: RunGroup): boolean {
  return !counted.some(isFinished)
}

/** Ascending, with what is not a number at the end. */
export function order(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** Puts together what has the same spec but for the seed. */
export function groupedBySpec<Each>(
  all: readonly Each[],
  specOf: (each: Each) => Readonly<Record<string, unknown>>,
): { readonly settings: Settings; readonly members: Each[] }[] {
  const specs = all.map((member) => {
    const { seed: _, ...spec } = specOf(member)
    return { member, settings: settingsOf(spec) }
  })
  const key = (settings: Settings): string =>
    JSON.stringify([...settings].map(([path, { exact }]) => [path, exact]).sort())
  return [...groupedBy(specs, ({ settings }) => key(settings)).values()].map((those) => ({
    settings: those[0]?.settings ?? new Map(),
    members: those.map(({ member }) => member),
  }))
}

/** The runs that statistics are taken over: those that finished, or all if none did. */
export function countedRuns<Run>(runs: readonly Run[], hasFinished: (run: Run) => boolean): readonly Run[] {
  const finished = runs.filter(hasFinished)
  return finished.length > 0 ? finished : runs
}

function counting(runs: readonly RunData[]): { counted: readonly RunData[]; value: Summary } {
  const counted = countedRuns(runs, isFinished)
  return { counted, value: summarize(counted.map(bestValue)) }
}

/**
 * A label per group from the fewest settings that tell all of them apart, those that say most first. Where that would be
 * long-winded, the given names serve.
 */
export function groupLabels(groups: readonly Settings[], names: readonly string[]): string[] {
  const paths = tellingApart(groups)
  const labels = groups.map((settings) => labelOf(settings, paths))
  const usable = labels.every((label) => label !== '' && label.length <= longest) && allDiffer(labels)
  return usable ? labels : named(groups, names)
}

function tellingApart(groups: readonly Settings[]): string[] {
  const differing = differingPaths(groups)
  const ranked = [
    ...telling.filter((path) => differing.includes(path)),
    ...differing.filter((p) => !telling.includes(p)),
  ]
  let needed = firstEnough(ranked, groups)
  for (const path of needed) {
    const without = needed.filter((each) => each !== path)
    if (!telling.includes(path) && apart(groups, without)) needed = without
  }
  return needed
}

function firstEnough(paths: readonly string[], groups: readonly Settings[]): string[] {
  for (let count = 1; count < paths.length; count++) {
    if (apart(groups, paths.slice(0, count))) return paths.slice(0, count)
  }
  return [...paths]
}

function apart(groups: readonly Settings[], paths: readonly string[]): boolean {
  return allDiffer(groups.map((settings) => JSON.stringify(paths.map((path) => settings.get(path)?.exact ?? null))))
}

function labelOf(settings: Settings, paths: readonly string[]): string {
  return paths
    .flatMap((path) => {
      const text = settings.get(path)?.text
      if (text === undefined) return []
      return /^(solver|objective)(\.name)?$/.test(path) ? [text] : [`${path.replace(/^.*\./, '')} ${text}`]
    })
    .join(', ')
}

/** One group is called after its solver; several that settings cannot tell apart shortly, after their first runs. */
function named(groups: readonly Settings[], names: readonly string[]): string[] {
  const [only] = groups
  const solver = only?.get('solver.name')?.text ?? only?.get('solver')?.text
  if (groups.length === 1 && solver !== undefined) return [shortened(solver, longest)]
  const labels = names.map((name) => shortened(name, longest))
  return allDiffer(labels) ? labels : labels.map((label, i) => `${label} (${i + 1})`)
}

function allDiffer(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** What is said if values of different problems stand side by side: they say nothing about each other. */
export const unlikeProblems =
  'These runs do not all minimise the same objective: compare values only where it is the same.'

/** Which problem each of several specs is about; if there are several, what sets it apart. */
export function problemsOf(all: readonly Settings[]): { readonly key: string; readonly label: string }[] {
  const paths = differingPaths(all).filter((path) => /^(objective|dim)\b/.test(path))
  return all.map((settings) => ({
    key: JSON.stringify(paths.map((path) => settings.get(path)?.exact)),
    label: labelOf(settings, paths),
  }))
}

/** A setting of a spec: how it reads, and all of it for comparisons. */
export interface Setting {
  readonly text: string
  readonly exact: string
}

/** The settings of a spec by their path, such as `solver.learningRate`. */
export type Settings = ReadonlyMap<string, Setting>

const deepest = 6
const longestText = 160
const shownEntries = 6

/** A spec as a flat list, in its own order. */
export function settingsOf(spec: object): Settings {
  return new Map(flat('', spec, 0))
}

/** The paths at which settings differ, in the order in which they first occur. */
export function differingPaths(all: readonly Settings[]): string[] {
  const paths = new Set(all.flatMap((settings) => [...settings.keys()]))
  return [...paths].filter((path) => new Set(all.map((settings) => settings.get(path)?.exact)).size > 1)
}

function flat(path: string, value: unknown, depth: number): [string, Setting][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || depth >= deepest) {
    return [[path, { text: settingText(value), exact: json(value) }]]
  }
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  if (entries.length === 0 && path !== '') return [[path, { text: 'none', exact: '{}' }]]
  return entries.flatMap(([key, each]) => flat(path === '' ? key : `${path}.${key}`, each, depth + 1))
}

/** A value of a spec as it reads in a table. */
export function settingText(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return shortened(value === '' ? '(empty)' : value, longestText)
  if (!Array.isArray(value)) return shortened(json(value), longestText)
  if (value.length > shownEntries && value.every((each) => Object.is(each, value[0]))) {
    return `${value.length} times ${settingText(value[0])}`
  }
  const texts = value.slice(0, shownEntries).map(settingText)
  const rest = value.length > shownEntries ? `, … (${value.length} in all)` : ''
  return shortened(`${texts.join(', ')}${rest}`, longestText)
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
