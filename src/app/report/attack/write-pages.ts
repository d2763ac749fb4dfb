import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { shellWord } from '../../../optimizer/core/shell-word.ts'
import type { AttackReport } from '../../../robustness/index.ts'
import { layout, readPicture } from '../../jobs/evaluation/attack-files.ts'
import type { AttackRecord } from '../../jobs/evaluation/attack-record.ts'
import { readComparison } from '../../jobs/evaluation/compare-baseline.ts'
import { judgementsOf, readEvaluation, type StoredAttack } from '../../jobs/evaluation/status.ts'
import { makeFolder } from '../../jobs/folders.ts'
import type { Json, JsonObject } from '../../spec/index.ts'
import { writeWholeFile } from '../../store/index.ts'
import type { ReportPage } from '../page/document.ts'
import { attackPage } from './attack-page.ts'
import type { ComparedRun, Threshold } from './attack-run.ts'
import { comparedModel, comparedSettings, differences, limitName, modelText } from './settings.ts'

/** Where a page goes and what it is called, if that is not as usual. */
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
    pictures: pictureSource(folder, report),
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

/** The pictures of an attack as `data:` addresses; one that is gone is not shown, and one that was changed is refused. */
function pictureSource(folder: string, { images }: AttackReport): (file: string) => string | undefined {
  const owners = new Map(
    images.flatMap((image) => Object.values(image.files ?? {}).map((file) => [file, image] as const)),
  )
  return (file) => {
    const image = owners.get(file)
    try {
      if (image === undefined) return undefined
      return `data:image/png;base64,${Buffer.from(readPicture(folder, image, file)).toString('base64')}`
    } catch (error) {
      if (error instanceof ZerothError) throw error
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

/** An attack beside others. */
interface Compared {
  readonly name: string
  readonly record: AttackRecord
}

/** Attacks on different models or images say nothing about each other. */
export function checkComparable(attacks: readonly Compared[]): void {
  const [first, ...others] = attacks
  for (const other of others) {
    if (first === undefined) return
    const [one, two] = [first.record, other.record]
    if (!isDeepStrictEqual(comparedModel(one.spec), comparedModel(two.spec)))
      throw incomparable('models', modelName, first, other)
    if (!isDeepStrictEqual(imagesOf(one), imagesOf(two))) throw incomparable('images', imagesName, first, other)
  }
}

/** The images with the class they are of: the same number is another image if that differs. */
function imagesOf({ spec }: Pick<AttackRecord, 'spec'>): Json[] {
  return [spec.images ?? null, spec.class ?? null]
}

function modelName({ spec }: AttackRecord): [short: string, long: Json] {
  return [modelText(spec.model as JsonObject), spec.model as Json]
}

function imagesName({ spec, images }: AttackRecord): [short: string, long: Json] {
  return [images.name, imagesOf({ spec })]
}

function incomparable(
  what: string,
  nameOf: (record: AttackRecord) => [string, Json],
  one: Compared,
  other: Compared,
): Error {
  const [[a, longA], [b, longB]] = [nameOf(one.record), nameOf(other.record)]
  const [first, second] = a === b ? [JSON.stringify(longA), JSON.stringify(longB)] : [a, b]
  const those = `${first} (${one.name}) and ${second} (${other.name})`
  return new ZerothError('invalid-option', `attacks on different ${what} cannot be compared: ${those}`)
}

/** Writes a page and its figures into a folder; returns the files, the page first. */
export async function writePageFiles(out: string, page: string, { html, figures }: ReportPage): Promise<string[]> {
  await makeFolder(out)
  const drawn = Object.entries(figures).map(([name, svg]) => [`${name}.svg`, svg] as const)
  return [[page, html] as const, ...drawn].map(([file, text]) => {
    writeWholeFile(join(out, file), text)
    return join(out, file)
  })
}
