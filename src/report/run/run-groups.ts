import { type Summary, summarize } from '../../core/statistics.ts'
import type { Markup } from '../markup.ts'
import { shortened } from '../number-text.ts'
import { groupedBy } from '../page/background.ts'
import { lineName } from '../page/elements.ts'
import { type CurveStyle, curveStyle } from '../palette.ts'
import { bestValue, isFinished, type RunData } from './run-data.ts'

/** What groups may be ranked by: medians, or means as the search for settings does. */
export type Ranking = 'median' | 'mean'

/** Runs whose specs are the same but for the seed. */
export interface RunGroup {
  /** What sets the group apart from the others. */
  readonly label: string
  readonly style: CurveStyle
  readonly runs: readonly RunData[]
  /** The runs that statistics are taken over: those that finished, or all where none did. */
  readonly counted: readonly RunData[]
  /** How the best value varied over the runs that count. */
  readonly value: Summary
  /** The statistic that groups are ranked by. */
  readonly ranking: Ranking
  /** The settings all its runs share. */
  readonly settings: Settings
}

/** Settings that name a group best, where they differ. */
const telling = ['solver.name', 'solver', 'objective.name', 'objective', 'dim']
const longest = 60

/** The groups of runs, best median or mean first. */
export function runGroups(runs: readonly RunData[], ranking: Ranking = 'median'): RunGroup[] {
  const collected = collect(runs)
  const labels = groupLabels(
    collected.map(({ settings }) => settings),
    collected.map((group) => (group.runs[0] as RunData).name),
  )
  return collected
    .map((group, i) => ({ ...group, label: labels[i] as string, ranking, ...counting(group.runs) }))
    .sort((a, b) => order(rankedValue(a), rankedValue(b)))
    .map((group, i) => ({ ...group, style: curveStyle(i) }))
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

function collect(runs: readonly RunData[]): { settings: Settings; runs: RunData[] }[] {
  const specs = runs.map((run) => {
    const { seed: _, ...spec } = run.meta.spec
    return { run, settings: settingsOf(spec) }
  })
  const key = (settings: Settings): string =>
    JSON.stringify([...settings].map(([path, { exact }]) => [path, exact]).sort())
  return [...groupedBy(specs, ({ settings }) => key(settings)).values()].map((those) => ({
    settings: those[0]?.settings ?? new Map(),
    runs: those.map(({ run }) => run),
  }))
}

function counting(runs: readonly RunData[]): { counted: readonly RunData[]; value: Summary } {
  const finished = runs.filter(isFinished)
  const counted = finished.length > 0 ? finished : runs
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

/** What is said where values of different problems stand side by side: they say nothing about each other. */
export const unlikeProblems =
  'These runs do not all minimise the same objective: compare values only where it is the same.'

/** Which problem each of several specs is about; where there are several, what sets it apart. */
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
