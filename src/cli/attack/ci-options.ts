import { appendFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { githubSummary } from '../../report/ci/github-summary.ts'
import { junitXml } from '../../report/ci/junit.ts'
import { sarifJson } from '../../report/ci/sarif.ts'
import type { JsonObject } from '../../spec/index.ts'
import { writeWholeFile } from '../../trace/index.ts'
import {
  baselineOf,
  comparableSettings,
  readBaseline,
  refuseDifferences,
  settingDifferences,
  writeBaseline,
} from '../../work/evaluation/baseline.ts'
import { compareBaseline, keepComparison, readComparison } from '../../work/evaluation/compare-baseline.ts'
import type { StoredAttack } from '../../work/evaluation/status.ts'
import { isFolder } from '../../work/folders.ts'
import { fraction } from '../option-values.ts'

/** Files for other programs, and what an evaluation is compared with. */
export interface CiFlags {
  readonly junit?: string
  readonly sarif?: string
  /** Whether a summary is wanted; where that is not said, one is written where there is a place for it. */
  readonly githubSummary?: boolean
  readonly baseline?: string
  readonly tolerance?: number
  readonly writeBaseline?: string
}

/** Adds the options for continuous integration. */
export function withCiOptions(command: Command): Command {
  return command
    .optionsGroup('For CI:')
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--sarif <file>', 'write what was found as SARIF 2.1.0')
    .option('--github-summary', 'append a Markdown summary to $GITHUB_STEP_SUMMARY (default: where that is set)')
    .option('--no-github-summary', 'no summary, also where $GITHUB_STEP_SUMMARY is set')
    .option(
      '--baseline <file>',
      'an earlier evaluation: its folder, its summary.json or a file of --write-baseline; where the robust accuracy is worse the exit code is 3',
    )
    .option('--tolerance <n>', 'by how much it may be lower than that of --baseline (default: 0)', fraction)
    .option('--write-baseline <file>', 'write what later evaluations can be compared with')
}

/** What is done for CI when an evaluation has finished. */
export interface CiWork {
  /** Compares it with the baseline; the page and the console show that. */
  compare(attack: StoredAttack): void
  /** Writes the files. */
  write(attack: StoredAttack): void
}

/** Checks what can be checked before anything is asked: the baseline, and that files can be written. */
export function ciWork(flags: CiFlags, spec: JsonObject, env = process.env): CiWork {
  const { junit, sarif, baseline: file, tolerance, writeBaseline: target } = flags
  if (tolerance !== undefined && file === undefined) {
    throw new ZerothError('invalid-option', '--tolerance needs --baseline: the file to compare with')
  }
  if (tolerance !== undefined && !(tolerance >= 0 && tolerance <= 1)) {
    throw new ZerothError('invalid-option', `--tolerance must be from 0 to 1, got ${tolerance}`)
  }
  const summary = summaryFile(flags, env)
  checkPlaces({ '--junit': junit, '--sarif': sarif, '--write-baseline': target, $GITHUB_STEP_SUMMARY: summary })
  const before = file === undefined ? undefined : readBaseline(file)
  if (before !== undefined) refuseDifferences(settingDifferences(before, comparableSettings(spec, 'given')), file ?? '')
  return {
    compare(attack) {
      if (before === undefined || file === undefined) return
      keepComparison(attack.folder, compareBaseline(before, attack, { file, tolerance: tolerance ?? 0 }))
    },
    write(attack) {
      const checked = { ...attack, comparison: readComparison(attack.folder) }
      if (junit !== undefined) writeWholeFile(junit, junitXml(checked))
      if (sarif !== undefined) writeWholeFile(sarif, sarifJson(checked))
      if (target !== undefined) writeBaseline(target, baselineOf(attack))
      if (summary !== undefined) appendFileSync(summary, githubSummary(checked))
    },
  }
}

function summaryFile({ githubSummary: wanted }: CiFlags, env: NodeJS.ProcessEnv): string | undefined {
  const file = env.GITHUB_STEP_SUMMARY ?? ''
  if (wanted === false) return undefined
  if (file !== '') return file
  if (wanted !== true) return undefined
  throw new ZerothError('invalid-option', '--github-summary: $GITHUB_STEP_SUMMARY is not set; set it to a file')
}

/** An evaluation of hours must not end with a file that cannot be written. */
function checkPlaces(files: Readonly<Record<string, string | undefined>>): void {
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue
    if (isFolder(file)) throw new ZerothError('invalid-option', `${option} must be a file, ${file} is a folder`)
    if (!isFolder(dirname(file))) {
      throw new ZerothError('invalid-option', `${option} ${file}: there is no folder ${dirname(file)}`)
    }
  }
}
