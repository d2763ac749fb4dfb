import { join } from 'node:path'
import {
  type Cell,
  claimData,
  type Drawing,
  type Experiment,
  judgeClaims,
  type Plan,
  type Results,
} from '../../experiments/paper/index.ts'
import { type ClaimResult, type PaperTable, paperTableCsv, reproductionPage } from '../../report/index.ts'
import { writeWholeFile } from '../../trace/index.ts'
import { modelText } from '../attack/attack-settings.ts'
import { durationText } from '../duration-text.ts'
import { jsonSafe } from '../json-safe.ts'
import type { ReproduceRecord } from './reproduce-record.ts'
import { cellsOf } from './run-reproduction.ts'

/** What a reproduction came to. */
export interface Reproduced {
  readonly claims: readonly ClaimResult[]
  readonly cells: number
  /** Cells that have come to their end. */
  readonly done: number
  readonly modelCalls: number
  readonly files: readonly string[]
}

/** Draws every table and figure from what is saved, and writes the page; nothing is asked. */
export function drawReproduction(
  out: string,
  experiments: readonly Experiment[],
  plan: Plan,
  results: Results,
  record: ReproduceRecord,
): Reproduced {
  const cells = cellsOf(experiments, plan, results)
  const finished = cells.flatMap((cell) => results.report(cell) ?? [])
  const modelCalls = finished.reduce((sum, { summary }) => sum + summary.modelCalls, 0)
  const progress = { done: finished.length, cells: cells.length, modelCalls }
  const drawings = experiments.map((experiment) => ({ experiment, drawing: experiment.draw(plan, results) }))
  const claims = judgeClaims(claimData(plan, results))
  const { html, figures } = reproductionPage({
    title: `ZO-AdaMM reproduced: ${plan.scale} scale, ${plan.profile} settings`,
    claims,
    progress,
    sections: drawings.map(({ experiment: { name, title }, drawing }) => {
      const { tables = [], figures: drawn = [], remarks = [] } = drawing
      return { name, title, tables, figures: drawn, remarks }
    }),
    settings: settingRows(plan, cells, record, modelCalls),
    machine: record.machine,
    created: record.created,
    zeroth: record.zeroth,
    command: commandOf(out, plan, record),
  })
  const texts: Record<string, string | Uint8Array> = {
    'index.html': html,
    ...tableFiles(drawings.map(({ drawing }) => drawing)),
    ...Object.fromEntries(Object.entries(figures).map(([name, svg]) => [`${name}.svg`, svg])),
    ...Object.fromEntries(drawings.flatMap(({ drawing }) => pictureFiles(drawing))),
    'claims.json': `${JSON.stringify(jsonSafe({ scale: plan.scale, profile: plan.profile, claims }), null, 2)}\n`,
  }
  for (const [name, content] of Object.entries(texts)) writeWholeFile(join(out, name), content)
  return { claims, ...progress, files: Object.keys(texts) }
}

/** Tables that share a file go into it one below the other. */
function tableFiles(drawings: readonly Drawing[]): Record<string, string> {
  const byFile = new Map<string, PaperTable[]>()
  for (const table of drawings.flatMap(({ tables = [] }) => tables)) {
    byFile.set(table.file, [...(byFile.get(table.file) ?? []), table])
  }
  return Object.fromEntries([...byFile].map(([file, tables]) => [`${file}.csv`, paperTableCsv(tables)]))
}

function pictureFiles({ pictures = {} }: Drawing): [string, Uint8Array][] {
  return Object.entries(pictures).map(([name, png]) => [`${name}.png`, png])
}

function settingRows(
  { scale, profile, seed, subject, tuningImages, sizes }: Plan,
  cells: readonly Cell[],
  { seconds }: ReproduceRecord,
  modelCalls: number,
): [string, string][] {
  const { model, images } = subject
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null ? modelText(value as never) : String(value ?? 'those of the model')
  const sizeRows = Object.entries(sizes).map(([name, { count, iterations }]): [string, string] => [
    sizeNames[name] ?? name,
    `${count} images, ${iterations} iterations`,
  ])
  return [
    ['scale', scale],
    ['profile', profile],
    ['model', text(model)],
    ['images', text(images)],
    ['images to tune on', text(tuningImages ?? images)],
    ['seed', String(seed)],
    ['directions per iteration', '10'],
    ['smoothing radius', '0.005'],
    ['weight of the attack loss', '10'],
    ...sizeRows,
    ['attacks', String(cells.length)],
    ['images classified', String(modelCalls)],
    ['time at work', durationText(1000 * seconds)],
  ]
}

const sizeNames: Readonly<Record<string, string>> = {
  perImage: 'Table A3, Fig. 1',
  search: 'Table A1',
  betas: 'Fig. A1 (a), (b)',
  universal: 'Table 2, Fig. 2',
  patterns: 'Fig. A2',
  universalSearch: 'Table A2',
  universalBetas: 'Fig. A1 (c)',
}

function commandOf(out: string, { scale, profile, seed }: Plan, { settings }: ReproduceRecord): string {
  const { count, iterations, subject } = settings
  const given = Object.entries({ count, iterations }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  )
  const subjects = subject === undefined ? [] : ['--model ... --images ...']
  return [
    'zeroth reproduce',
    `--scale ${scale}`,
    `--profile ${profile}`,
    `--seed ${seed}`,
    ...given,
    ...subjects,
    `--out ${out}`,
  ].join(' ')
}
