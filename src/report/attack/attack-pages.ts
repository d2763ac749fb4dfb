import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { JsonObject } from '../../spec/index.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import type { AttackRecord } from '../../work/evaluation/attack-record.ts'
import { readComparison } from '../../work/evaluation/compare-baseline.ts'
import { judgementsOf, readEvaluation, type StoredAttack } from '../../work/evaluation/status.ts'
import { writePageFiles } from '../page/page-files.ts'
import { differences } from './attack-differences.ts'
import { attackPage } from './attack-page.ts'
import type { ComparedRun, Threshold } from './attack-run.ts'
import { checkComparable, comparedSettings, limitName } from './attack-settings.ts'

/** Where a page goes and what it is called, where that is not as usual. */
export interface PagePlace {
  /** That of the first evaluation if left out. */
  readonly out?: string | undefined
  readonly title?: string | undefined
}

/**
 * Writes the page of the evaluation in a folder, or of several on the same images side by side, and its figures beside it;
 * returns the files, the page first. Nothing is asked.
 */
export async function writeEvaluationPage(
  folders: string | readonly string[],
  { out, title }: PagePlace = {},
): Promise<string[]> {
  const attacks = readAttacks([folders].flat())
  const names = attacks.map(({ name }) => name)
  return writeAttackPage(attacks, out ?? attacks[0]?.folder ?? '.', title ?? names.join(', '))
}

/** Writes the page of an evaluation unless it is there: a process may have been killed before it could. */
export async function completeEvaluationPage(folder: string): Promise<void> {
  if (!existsSync(join(folder, layout.page))) await writeEvaluationPage(folder)
}

/** Attacks as a comparison has them: with names of their own, least robust first. */
export interface NamedAttack extends StoredAttack {
  readonly name: string
}

/** Reads attacks on the same model and images; those of one name are called after the folder they are in, too. */
export function readAttacks(folders: readonly string[]): NamedAttack[] {
  const names = folders.map(nameOf)
  const isTwice = (name: string) => names.filter((each) => each === name).length > 1
  const attacks = folders.map((folder, i) => {
    const name = names[i] as string
    return { ...readEvaluation(folder), name: isTwice(name) ? `${nameOf(join(folder, '..'))}/${name}` : name }
  })
  checkComparable(attacks)
  return attacks
}

/** Writes the page of an attack, or of several on the same images, and its figures beside it; returns the files, the page first. */
export async function writeAttackPage(attacks: readonly StoredAttack[], out: string, title: string): Promise<string[]> {
  const { record } = attacks[0] as StoredAttack
  const { common, own } = comparedSettings(attacks.map((attack) => attack.record))
  const named = attacks.map((attack) => ({ ...attack, name: attack.name ?? nameOf(attack.folder) }))
  const page = attackPage({
    title,
    differences: differences(named),
    runs: attacks.map((attack, i) => ({ ...comparedRun(attack), settings: own[i] })),
    classNames: record.images.classNames,
    settings: common,
    machine: record.machine,
    created: record.created,
    zeroth: record.zeroth,
    command: attacks.map(({ folder }) => `zeroth attack ${shellWord(join(folder, layout.spec))}`).join('\n'),
  })
  return writePageFiles(out, layout.page, page)
}

function comparedRun({ folder, record, report, seconds, name = nameOf(folder) }: StoredAttack): ComparedRun {
  const { spec, machine, zeroth } = record
  return {
    name,
    problem: String((spec.problem as JsonObject).name),
    report,
    seconds,
    pictures: pictureSource(folder),
    threshold: thresholdsOf(record, report),
    comparison: readComparison(folder),
    machine,
    zeroth,
  }
}

/** What the attack in a folder is called. */
function nameOf(folder: string): string {
  return basename(resolve(folder))
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

function thresholdsOf({ spec }: AttackRecord, report: AttackReport): Threshold[] {
  return judgementsOf(spec, report).map(({ verdict, robustAccuracy, limit }) => ({
    failUnder: verdict.failUnder,
    met: verdict.kind === 'met',
    unjudged: verdict.kind === 'unjudged' ? verdict.why : undefined,
    limit: limit === undefined ? undefined : limitName(limit),
    robustAccuracy,
  }))
}
