import type { AttackReport, BaselineComparison, ImageRecord } from '../../attacks/records.ts'
import { type CurveStyle, curveStyle } from '../palette.ts'

/** Gives a picture file of an evaluation as a `data:` address, so that a page needs no other file. */
export type PictureSource = (file: string) => string | undefined

/** Names and values, for people. */
export type SettingRows = readonly (readonly [string, string])[]

/** The least robust accuracy that was required, and whether it is there. */
export interface Threshold {
  readonly failUnder: number
  readonly met: boolean
  /** Why too little was measured to say; then it is not met either. */
  readonly unjudged?: string | undefined
  /** The limit it is required within, where there are several, and the robust accuracy there. */
  readonly limit?: string | undefined
  readonly robustAccuracy?: number | undefined
}

/** The evaluation of one method, alone or beside others on the same images. */
export interface ComparedRun {
  /** The method. */
  readonly name: string
  /** Which form of the problem it solves: constrained or unconstrained. */
  readonly problem: string
  readonly report: AttackReport
  /** What this method alone was set to. */
  readonly settings?: SettingRows | undefined
  readonly pictures?: PictureSource | undefined
  readonly threshold?: Threshold | readonly Threshold[] | undefined
  /** Seconds of work, where they were measured. */
  readonly seconds?: number | undefined
  /** How it compares with its baseline, where it was given one. */
  readonly comparison?: BaselineComparison | undefined
  /** The machine and the version of zeroth, where they may be others than those of the page. */
  readonly machine?: Readonly<Record<string, string>> | undefined
  readonly zeroth?: string | undefined
}

/** An evaluation as a page draws it. */
export interface AttackRun extends ComparedRun {
  readonly style: CurveStyle
}

/** Evaluations that are drawn into the same figure. */
export interface Panel {
  /** The problem they share; empty where there is but one. */
  readonly title: string
  /** For names of files. */
  readonly suffix: string
  readonly runs: readonly AttackRun[]
}

/** Gives each method its colour, the same for every problem. */
export function styledRuns(runs: readonly ComparedRun[]): AttackRun[] {
  const names = [...new Set(runs.map(({ name }) => name))]
  return runs.map((run) => ({ ...run, style: curveStyle(names.indexOf(run.name)) }))
}

/** A panel per problem. */
export function panelsOf(runs: readonly AttackRun[]): Panel[] {
  const problems = [...new Set(runs.map(({ problem }) => problem))]
  return problems.map((problem, i) => ({
    title: problems.length === 1 ? '' : problem,
    suffix: problems.length === 1 ? '' : `-${fileWord(problem) || 'problem'}${isTaken(problems, i) ? `-${i + 1}` : ''}`,
    runs: runs.filter((run) => run.problem === problem),
  }))
}

/** The images that an attack was tried on. */
export function attackedImages({ report }: Pick<ComparedRun, 'report'>): ImageRecord[] {
  return report.images.filter(({ status }) => status === 'fooled' || status === 'robust')
}

function isTaken(problems: readonly string[], index: number): boolean {
  const word = fileWord(problems[index] as string)
  return problems.slice(0, index).some((problem) => fileWord(problem) === word)
}

function fileWord(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
}
