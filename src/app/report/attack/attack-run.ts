import {
  type AttackReport,
  type AttackSummary,
  type BaselineComparison,
  type Distortion,
  type ImageRecord,
  isMeasured,
} from '../../../robustness/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText, intervalText, shortened } from '../number-text.ts'
import { badge } from '../page/elements.ts'
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
  /** The limit it is required within, if there are several, and the robust accuracy there. */
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
  /** Seconds of work, if they were measured. */
  readonly seconds?: number | undefined
  /** How it compares with its baseline, if it was given one. */
  readonly comparison?: BaselineComparison | undefined
  /** The machine and the version of zeroth, if they may be others than those of the page. */
  readonly machine?: Readonly<Record<string, string>> | undefined
  readonly zeroth?: string | undefined
}

/** An evaluation as a page draws it. */
export interface AttackRun extends ComparedRun {
  readonly style: CurveStyle
}

/** Evaluations that are drawn into the same figure. */
export interface Panel {
  /** The problem they share; empty if there is but one. */
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
  return report.images.filter(isMeasured)
}

/** The 95 % interval of the success rate; undefined if there is none. */
export function successInterval({ attackSuccessInterval: interval }: AttackSummary): string | undefined {
  return interval.every(Number.isFinite) ? intervalText(interval) : undefined
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

/** The colour that underlines the result of an image. */
export const imageLooks: Readonly<Record<ImageRecord['status'], string>> = {
  fooled: 'bad',
  robust: 'good',
  skipped: 'plain',
  failed: 'warn',
  unfinished: 'warn',
  unconfirmed: 'warn',
}

const longestTitle = 48
const longestClass = 32
/** Pictures narrower than this are enlarged; their pixels then stay squares. */
const small = 128

/** Whether the picture that is shown fools the model: it is the 8-bit file, and what fooled may have been lost by rounding. */
export function isShownFooled({ status, success8bit }: Pick<ImageRecord, 'status' | 'success8bit'>): boolean {
  return status === 'fooled' && success8bit !== false
}

/** The result of an image. What fools only before it is rounded is not called fooled. */
export function imageBadge(image: Pick<ImageRecord, 'status' | 'success8bit'>): Markup {
  const isLost = image.status === 'fooled' && !isShownFooled(image)
  return isLost ? badge('not as 8-bit file', { 'not as 8-bit file': 'warn' }) : badge(image.status, imageLooks)
}

/** What an image is called, cut if it is long; a mere number says what it is the number of. */
export function imageTitle({ title }: Pick<ImageRecord, 'title'>, longest = longestTitle): string {
  return /^\d+$/.test(title) ? `image ${title}` : shortened(title, longest)
}

/** What a class is called, in short; its number if it has no name, a dash if it is not known. */
export function classText(index: number | null | undefined, names: readonly string[] | undefined): string {
  if (typeof index !== 'number' || !Number.isFinite(index)) return '–'
  const name = names?.[index]
  if (name === undefined || name === '') return String(index)
  // Long names are often lists of synonyms.
  return shortened(name.length > longestClass ? (name.split(', ')[0] as string) : name, longestClass)
}

/** The class that the model sees in the changed picture, as far as it is known. */
export function classAfter({ saved, best, final }: ImageRecord): number | undefined {
  return (saved ?? best ?? final)?.predicted
}

/** How far the changed picture is from the original; NaN if it is not known. */
export function changeOf({ saved, best, final }: ImageRecord): Distortion {
  return saved ?? best ?? final ?? { l2sq: Number.NaN, l2: Number.NaN, linf: Number.NaN }
}

/** How long it took to fool the model with an image, or that it was not; a shared perturbation may have lost it again. */
export function effortSentence(image: ImageRecord): string {
  const { status, first, queries } = image
  const lost = status === 'fooled' && !isShownFooled(image) ? ', but only before its values were rounded to 8 bits' : ''
  if (first !== null) return `first fooled after ${countText(first.queries)} queries${lost}`
  return status === 'robust' && queries > 0 ? `withstood ${countText(queries)} queries` : 'never fooled'
}

/** A picture within a page, or nothing if there is none; an address that is not the picture itself is none. */
export function picture(address: string | undefined, said: string): Markup | undefined {
  if (address === undefined || !/^data:image\/(png|jpeg|webp|gif);base64,[\w+/=]+$/.test(address)) return undefined
  const size = pngSize(address)
  const look = size !== undefined && size.width < small ? 'picture squares' : 'picture'
  const sides = size === undefined ? undefined : html` width="${size.width}" height="${size.height}"`
  return html`<img class="${look}" src="${address}" alt="${said}"${sides}/>`
}

/** The size of a PNG picture, which is in its first bytes. */
function pngSize(address: string): { width: number; height: number } | undefined {
  const [head = '', data = ''] = address.split(',')
  if (head !== 'data:image/png;base64' || data.length < 32) return undefined
  const bytes = atob(data.slice(0, 32))
  const number = (at: number): number => [0, 1, 2, 3].reduce((value, i) => value * 256 + bytes.charCodeAt(at + i), 0)
  return { width: number(16), height: number(20) }
}
