import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { type AttackPageData, attackPage, type ComparedRun, comparisonPage } from '../../report/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { writeWholeFile } from '../../trace/index.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import { type AttackRecord, type StoredAttack, verdictOf } from '../../work/evaluation/index.ts'
import { makeFolder } from '../../work/make-folder.ts'
import { settingRows } from './attack-settings.ts'
import { comparedSettings } from './compared-settings.ts'

/** Writes the page of an attack unless it is there: a process may have been killed before it could. */
export async function completeAttackPage(attack: StoredAttack): Promise<void> {
  if (!existsSync(join(attack.folder, layout.page))) await writeAttackPage(attack)
}

/** Writes the page of an attack, and its figures beside it; returns the files, the page first. */
export async function writeAttackPage(
  { folder, record, report }: StoredAttack,
  out = folder,
  title = basename(resolve(folder)),
): Promise<string[]> {
  const { machine, created, zeroth, images } = record
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
    threshold: thresholdOf(record, report),
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
  const { common, own } = comparedSettings(attacks.map((attack) => attack.record))
  const runs = attacks.map(({ name, folder, record: { spec }, report }, i): ComparedRun => {
    const problem = String((spec.problem as JsonObject).name)
    return { name, problem, report, settings: own[i], pictures: pictureSource(folder) }
  })
  const { html, figures } = comparisonPage({
    title,
    runs,
    classNames: record.images.classNames,
    settings: common,
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

function thresholdOf({ spec }: AttackRecord, report: AttackReport): AttackPageData['threshold'] {
  const verdict = verdictOf(spec, report)
  if (verdict === undefined) return undefined
  const { kind, failUnder } = verdict
  return { failUnder, met: kind === 'met', unjudged: kind === 'unjudged' ? verdict.why : undefined }
}
