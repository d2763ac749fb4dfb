import { type Summary, summarize } from '../../core/statistics.ts'
import { type CurveStyle, curveStyle } from '../palette.ts'
import { groupLabels } from './group-labels.ts'
import { bestValue, isFinished, type RunData } from './run-data.ts'
import { type Settings, settingsOf } from './settings.ts'

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
  /** The settings all its runs share. */
  readonly settings: Settings
}

/** The groups of runs, best median first. */
export function runGroups(runs: readonly RunData[]): RunGroup[] {
  const collected = collect(runs)
  const labels = groupLabels(
    collected.map(({ settings }) => settings),
    collected.map((group) => (group.runs[0] as RunData).name),
  )
  return collected
    .map((group, i) => ({ ...group, label: labels[i] as string, ...counting(group.runs) }))
    .sort((a, b) => order(a.value.median, b.value.median))
    .map((group, i) => ({ ...group, style: curveStyle(i) }))
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
  const groups = new Map<string, { settings: Settings; runs: RunData[] }>()
  for (const run of runs) {
    const { seed: _, ...spec } = run.meta.spec
    const settings = settingsOf(spec)
    const key = JSON.stringify([...settings].map(([path, { exact }]) => [path, exact]).sort())
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { settings, runs: [run] })
    else group.runs.push(run)
  }
  return [...groups.values()]
}

function counting(runs: readonly RunData[]): { counted: readonly RunData[]; value: Summary } {
  const finished = runs.filter(isFinished)
  const counted = finished.length > 0 ? finished : runs
  return { counted, value: summarize(counted.map(bestValue)) }
}
