import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { attackPage, type ComparedRun, type Threshold } from '../../report/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import { type AttackRecord, type StoredAttack, verdictOf } from '../../work/evaluation/index.ts'
import { writePageFiles } from '../page-files.ts'
import { comparedSettings } from './compared-settings.ts'

/** Writes the page of an attack unless it is there: a process may have been killed before it could. */
export async function completeAttackPage(attack: StoredAttack): Promise<void> {
  const { folder } = attack
  if (!existsSync(join(folder, layout.page))) await writeAttackPage([attack], folder, nameOf(folder))
}

/** Writes the page of an attack, or of several on the same images, and its figures beside it; returns the files, the page first. */
export async function writeAttackPage(attacks: readonly StoredAttack[], out: string, title: string): Promise<string[]> {
  const { record } = attacks[0] as StoredAttack
  const { common, own } = comparedSettings(attacks.map((attack) => attack.record))
  const page = attackPage({
    title,
    runs: attacks.map((attack, i) => ({ ...comparedRun(attack), settings: own[i] })),
    classNames: record.images.classNames,
    settings: common,
    machine: record.machine,
    created: record.created,
    zeroth: record.zeroth,
    command: attacks.map(({ folder }) => `zeroth attack ${join(folder, layout.spec)}`).join('\n'),
  })
  return writePageFiles(out, layout.page, page)
}

function comparedRun({ folder, record, report, name = nameOf(folder) }: StoredAttack): ComparedRun {
  const { spec, machine, zeroth } = record
  return {
    name,
    problem: String((spec.problem as JsonObject).name),
    report,
    pictures: pictureSource(folder),
    threshold: thresholdOf(record, report),
    machine,
    zeroth,
  }
}

/** What the attack in a folder is called. */
export function nameOf(folder: string): string {
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

function thresholdOf({ spec }: AttackRecord, report: AttackReport): Threshold | undefined {
  const verdict = verdictOf(spec, report)
  if (verdict === undefined) return undefined
  const { kind, failUnder } = verdict
  return { failUnder, met: kind === 'met', unjudged: kind === 'unjudged' ? verdict.why : undefined }
}
