import { readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { attackPage, type ComparedRun, comparisonPage } from '../../report/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { writeWholeFile } from '../../trace/index.ts'
import { makeFolder } from '../make-folder.ts'
import { layout } from './attack-layout.ts'
import type { AttackRecord } from './attack-record.ts'
import { settingRows } from './attack-settings.ts'

/** An attack as its files tell it. */
export interface StoredAttack {
  readonly folder: string
  readonly record: AttackRecord
  readonly report: AttackReport
}

/** Writes the page of an attack, and its figures beside it; returns the files, the page first. */
export async function writeAttackPage(
  { folder, record, report }: StoredAttack,
  out = folder,
  title = basename(resolve(folder)),
): Promise<string[]> {
  const { spec, machine, created, zeroth, images } = record
  const failUnder = spec.failUnder as number | undefined
  const { html, figures } = attackPage({
    title,
    report,
    classNames: images.classNames,
    settings: settingRows(record),
    machine,
    created,
    zeroth,
    command: `zeroth attack ${join(folder, layout.spec)}`,
    pictures: pictureSource(folder),
    threshold: failUnder === undefined ? undefined : { failUnder, met: report.summary.robustAccuracy >= failUnder },
  })
  return writePageFiles(out, layout.page, html, figures)
}

/** Writes a page that compares attacks on the same images. */
export async function writeComparison(
  attacks: readonly (StoredAttack & { readonly name: string })[],
  out: string,
  title: string,
): Promise<string[]> {
  const { record } = attacks[0] as StoredAttack
  const runs = attacks.map(({ name, folder, record: { spec }, report }): ComparedRun => {
    const { name: solver, learningRate } = spec.solver as JsonObject
    const settings = [
      ['Method', String(solver)],
      ['Learning rate', JSON.stringify(learningRate ?? 'its own')],
    ] as const
    const problem = String((spec.problem as JsonObject).name)
    return { name, problem, report, settings, pictures: pictureSource(folder) }
  })
  const { html, figures } = comparisonPage({
    title,
    runs,
    classNames: record.images.classNames,
    settings: settingRows(record),
    machine: record.machine,
    created: record.created,
    zeroth: record.zeroth,
    command: attacks.map(({ folder }) => `zeroth attack ${join(folder, layout.spec)}`).join('\n'),
  })
  return writePageFiles(out, layout.page, html, figures)
}

async function writePageFiles(
  out: string,
  page: string,
  html: string,
  figures: Readonly<Record<string, string>>,
): Promise<string[]> {
  await makeFolder(out)
  const files = [page, ...Object.keys(figures).map((name) => `${name}.svg`)]
  const texts = [html, ...Object.values(figures)]
  for (const [i, file] of files.entries()) writeWholeFile(join(out, file), texts[i] as string)
  return files.map((file) => join(out, file))
}

/** The pictures of an attack as `data:` addresses; one that is gone is not shown. */
function pictureSource(folder: string): (file: string) => string | undefined {
  return (file) => {
    try {
      return `data:image/png;base64,${readFileSync(join(folder, file)).toString('base64')}`
    } catch {
      return undefined
    }
  }
}
