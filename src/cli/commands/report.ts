import { basename, dirname, resolve, sep } from 'node:path'
import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { type RunData, type RunPageOptions, runPage, writeEvaluationPage, writePageFiles } from '../../report/index.ts'
import { readRun } from '../../trace/index.ts'
import { isAttack, isRun, isSeries, kindOf, runsOf, runsPlace } from '../../work/folders.ts'
import { listWorks } from '../../work/index.ts'
import { print } from '../output.ts'
import { plainText } from '../terminal-text.ts'

const examples = `
The page is one file, report.html (of an attack: index.html), that needs nothing
else; its figures lie beside it as SVG files. Nothing is asked.

Examples:
  $ zeroth report problem-auto-7
  $ zeroth report zeroth-runs --out pages --title "All runs"`

/** Where a page goes, and how its files are printed. */
export interface PageFlags {
  readonly out?: string
  readonly title?: string
  readonly json?: boolean
}

/** Iterations of a run that a page is drawn from: more would not be seen, and a trace may have millions. */
const mostPoints = 4096

/** `zeroth report`: one page about a run, about a series of runs, or about an attack. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, of a series, of an attack or of several, or its name in zeroth-runs')
    .option('-o, --out <folder>', 'where to write (default: the folder of the run)')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print the names of the files as one JSON object')
    .addHelpText('after', examples)
    .action(async (given: string, { out, title, json }: PageFlags) => {
      const folder = runsPlace(given)
      const place = { out: out ?? folder, title: title ?? basename(resolve(folder)) }
      const attacks = await attacksIn(folder)
      const files =
        attacks.length > 0
          ? await writeEvaluationPage(attacks, place)
          : await writePage(await readRuns([folder]), place.out, { ...place, ranking: rankingOf(folder) })
      print(json === true ? JSON.stringify({ files: files.map((file) => resolve(file)) }) : String(files[0]))
    })
}

/** The attack that a folder is, or those in it; none where it is something else, or holds other things, too. */
export async function attacksIn(folder: string): Promise<string[]> {
  if (isAttack(folder)) return [folder]
  const listed = isRun(folder) ? [] : await listWorks(folder)
  if (!listed.every(({ kind }) => kind === 'evaluation')) return []
  const sound = listed.filter(({ state }) => state !== 'damaged')
  if (sound.length === 0) return listed.map(({ folder: each }) => each)
  for (const { folder: each, problem, state } of listed) if (state === 'damaged') sayLeftOut(each, String(problem))
  return sound.map(({ folder: each }) => each)
}

/** Runs that were read, and those that could not be. */
export interface ReadRuns {
  readonly runs: readonly RunData[]
  readonly unread: NonNullable<RunPageOptions['unread']>
}

/**
 * Reads all runs that are meant; where several things are named a run of a series is called after that, too. One among
 * several that cannot be read is left out, and stderr says so.
 */
export async function readRuns(given: readonly string[]): Promise<ReadRuns> {
  const runs: RunData[] = []
  const unread: { name: string; text: string }[] = []
  let failure: unknown
  for (const each of given) {
    for (const folder of await runsOf(each)) {
      const parts = resolve(folder).split(sep)
      const isMember = isSeries(dirname(folder)) && given.length > 1
      const name = parts.slice(isMember ? -2 : -1).join('/')
      try {
        runs.push({ ...(await readRun(folder, { points: mostPoints })), name })
      } catch (error) {
        // One that was named by itself is missed where it is left out.
        if (!(error instanceof ZerothError) || isRun(runsPlace(each))) throw error
        failure ??= error
        unread.push({ name, text: error.message })
      }
    }
  }
  if (runs.length === 0) throw failure
  for (const { name, text } of unread) sayLeftOut(name, text)
  return { runs, unread }
}

function sayLeftOut(name: string, why: string): void {
  process.stderr.write(`zeroth: ${plainText(`${name} is left out: ${why}`)}\n`)
}

/** Writes the page of some runs, and its figures beside it; returns the files, the page first. */
export async function writePage({ runs, unread }: ReadRuns, out: string, options: RunPageOptions): Promise<string[]> {
  return writePageFiles(out, 'report.html', runPage(runs, { ...options, unread }))
}

/** The page of a tuning ranks settings as the search did. */
function rankingOf(folder: string): RunPageOptions['ranking'] {
  return kindOf(folder) === 'tuning' ? 'mean' : undefined
}
