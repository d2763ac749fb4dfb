import { join } from 'node:path'
import { makeFolder } from '../../src/app/jobs/folders.ts'
import { modelText } from '../../src/app/report/attack/settings.ts'
import { writeWholeFile } from '../../src/app/store/index.ts'
import { jsonSafe } from '../../src/optimizer/core/exact-json.ts'
import { commandOf, portable } from './command-of.ts'
import { mergedSessions } from './kept/kept.ts'
import type { ClaimResult } from './page/claims-section.ts'
import { type PaperTable, paperTableCsv } from './page/paper-table.ts'
import type { Provenance } from './page/provenance.ts'
import { reproductionMarkdown } from './page/reproduction-markdown.ts'
import { reproductionPage } from './page/reproduction-page.ts'
import type { ReproduceRecord } from './reproduce-record.ts'
import { cellsOf } from './run-reproduction.ts'
import { keptOf, recordedResults } from './stored-results.ts'
import {
  type Cell,
  claimData,
  type Drawing,
  type Experiment,
  experiments,
  judgeClaims,
  type Plan,
  planOf,
  type Results,
  reproducible,
} from './tables/index.ts'
import { workSessionsOf } from './work-session.ts'

/** The results of a reproduction. */
export interface Reproduced {
  /** None where nothing of the paper was wanted. */
  readonly claims: readonly ClaimResult[]
  /** Results of other experiments, in a sentence each. */
  readonly findings: readonly string[]
  readonly cells: number
  /** Cells that have finished. */
  readonly done: number
  readonly modelCalls: number
  readonly provenance: Provenance
  readonly files: readonly string[]
}

/** Where pages go and what they are called, where that is not as usual. */
export interface DrawingPlace {
  readonly into?: string | undefined
  readonly title?: string | undefined
  readonly results?: Results | undefined
}

/** The tables and figures that a reproduction is about. */
export function chosenExperiments({ what }: ReproduceRecord): Experiment[] {
  return reproducible.filter(({ name }) => what.includes(name))
}

/** Draws every table and figure from what is saved, and writes the pages; nothing is asked. */
export async function drawReproduction(
  folder: string,
  record: ReproduceRecord,
  { into = folder, title, results = recordedResults(folder, record) }: DrawingPlace = {},
): Promise<Reproduced> {
  const plan = planOf(record.settings)
  const chosen = chosenExperiments(record)
  const cells = cellsOf(chosen, plan, results)
  const done = cells.filter((cell) => results.report(cell) !== undefined)
  const finished = done.flatMap((cell) => results.report(cell) ?? [])
  const modelCalls = finished.reduce((sum, { summary }) => sum + summary.modelCalls, 0)
  const progress = { done: finished.length, cells: cells.length, modelCalls }
  const drawings = chosen.map((experiment) => ({ experiment, drawing: experiment.draw(plan, results) }))
  const isOfPaper = chosen.some((each) => experiments.includes(each))
  const claims = isOfPaper ? judgeClaims(claimData(plan, results)) : []
  const findings = drawings.flatMap(({ drawing }) => drawing.findings ?? [])
  const provenance = provenanceOf(folder, plan, record, done)
  const data = {
    title:
      title ??
      `${isOfPaper ? 'ZO-AdaMM reproduced' : 'Beyond ZO-AdaMM'}: ${plan.scale} scale, ${plan.profile} settings`,
    claims,
    progress,
    sections: drawings.map(({ experiment: { name, title: heading }, drawing }) => {
      const { findings: found, tables = [], figures = [], remarks = [] } = drawing
      return { name, title: heading, findings: found, tables, figures, remarks }
    }),
    settings: settingRows(plan, isOfPaper),
    provenance,
  }
  const { html, figures } = reproductionPage(data)
  const judged = {
    scale: plan.scale,
    profile: plan.profile,
    provenance: { ...provenance, ...progress },
    claims,
    findings,
  }
  const texts: Record<string, string | Uint8Array> = {
    'index.html': html,
    'index.md': reproductionMarkdown(data),
    ...tableFiles(drawings.map(({ drawing }) => drawing)),
    ...Object.fromEntries(Object.entries(figures).map(([name, svg]) => [`${name}.svg`, svg])),
    ...Object.fromEntries(drawings.flatMap(({ drawing }) => pictureFiles(drawing))),
    'claims.json': `${JSON.stringify(jsonSafe(judged), null, 2)}\n`,
  }
  await makeFolder(into)
  for (const [name, content] of Object.entries(texts)) writeWholeFile(join(into, name), content)
  return { claims, findings, ...progress, provenance, files: Object.keys(texts) }
}

/** How the numbers were obtained: as recorded when the attacks ran, not as it would be now. */
export function provenanceOf(
  folder: string,
  { seed }: Plan,
  record: ReproduceRecord,
  cells: readonly Cell[],
): Provenance {
  const earlier = keptOf(record)?.sessions(cells) ?? []
  const seconds = earlier.reduce((sum, session) => sum + session.seconds, record.seconds)
  const sittings = mergedSessions([...earlier, ...workSessionsOf(record)])
  return { seed, command: commandOf(folder, record), seconds, sittings }
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
  { scale, profile, subject, tuningImages, universalClass, sizes }: Plan,
  isOfPaper: boolean,
): [string, string][] {
  const { model, images } = subject
  const sizeRows = Object.entries(sizes).map(([name, { count, iterations }]): [string, string] => [
    sizeNames[name] ?? name,
    `${count} images, ${iterations.toLocaleString('en')} iterations`,
  ])
  return [
    ['scale', scale],
    ['profile', profile],
    ['model', thingText(model)],
    ['images', thingText(images)],
    ['images to tune on', thingText(tuningImages ?? images)],
    ...(universalClass === undefined
      ? []
      : [['class of universal attacks', String(universalClass)] as [string, string]]),
    ['directions per iteration', '10'],
    ['smoothing radius', '0.005'],
    ['weight of the attack loss', '10'],
    ...(isOfPaper ? sizeRows : []),
  ]
}

/** A model or images in a few words: a file by its name, wherever it lies. */
function thingText(value: unknown): string {
  if (value === undefined) return 'those of the model'
  if (typeof value !== 'object' || value === null) return portable(String(value))
  const { idx, cifar, folder } = value as Partial<Record<string, { images?: string; folder?: string }>>
  const images = idx?.images ?? cifar?.images ?? folder?.folder
  return portable(images ?? modelText(value as never))
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
