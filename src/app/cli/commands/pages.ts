import { basename, dirname, resolve, sep } from 'node:path'
import { Command } from 'commander'
import { ZerothError } from '../../../index.ts'
import { jsonSafe } from '../../../optimizer/core/exact-json.ts'
import { isAttack, isPlanned, isRun, kindOf, runsOf, runsPlace } from '../../jobs/folders.ts'
import { listJobs } from '../../jobs/index.ts'
import { readTried } from '../../jobs/tuned.ts'
import { differences } from '../../report/attack/settings.ts'
import {
  type NamedAttack,
  type RunData,
  type RunPageOptions,
  readAttacks,
  runPage,
  writeAttackPage,
  writeEvaluationPage,
  writePageFiles,
} from '../../report/index.ts'
import { countText } from '../../report/number-text.ts'
import { bestValue, groupVerdicts, problemsOf, runGroups, settingsOf, unlikeProblems } from '../../report/run/runs.ts'
import { type Column, shortNumber, textTable } from '../../report/table.ts'
import { imageCosts, imageVerdicts, medianInterval, pText, strengthOf, strongestFirst } from '../../report/verdict.ts'
import type { JsonObject } from '../../spec/index.ts'
import { readRun } from '../../store/index.ts'
import { print, tell } from '../program.ts'
import { millisecondsText, percent, plainText } from '../terminal.ts'

const reportExamples = `
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
export function reportCommand(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, of a series, of an attack or of several, or its name in zeroth-runs')
    .option('-o, --out <folder>', 'where to write (default: the folder of the run)')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print the names of the files as one JSON object')
    .addHelpText('after', reportExamples)
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
  const listed = isRun(folder) ? [] : await listJobs(folder)
  if (!listed.every(({ kind }) => kind === 'evaluation')) return []
  const sound = listed.filter(({ state }) => state !== 'damaged')
  if (sound.length === 0) return listed.map(({ folder: each }) => each)
  for (const { folder: each, problem, state } of listed) if (state === 'damaged') sayLeftOut(each, String(problem))
  return sound.map(({ folder: each }) => each)
}

/** Runs that were read, and those that could not be. */
interface ReadRuns {
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
      const isMember = isPlanned(dirname(folder)) && given.length > 1
      const name = parts.slice(isMember ? -2 : -1).join('/')
      try {
        runs.push({ ...(await readRun(folder, { points: mostPoints })), name, points: await readTried(folder) })
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
  tell(`zeroth: ${plainText(`${name} is left out: ${why}`)}`)
}

/** Writes the page of some runs, and its figures beside it; returns the files, the page first. */
export async function writePage({ runs, unread }: ReadRuns, out: string, options: RunPageOptions): Promise<string[]> {
  return writePageFiles(out, 'report.html', runPage(runs, { ...options, unread }))
}

/** The page of a tuning ranks settings as the search did. */
function rankingOf(folder: string): RunPageOptions['ranking'] {
  return kindOf(folder) === 'tuning' ? 'mean' : undefined
}

const compareExamples = `
Runs that differ in nothing but the seed are one group. With several seeds each,
a rank test says which group is better; of attacks, a sign test over images.

Examples:
  $ zeroth compare rosenbrock-auto-0 rosenbrock-cma-es-0
  $ zeroth compare adamm sgd --out page     writes page/report.html, too`

/** `zeroth compare`: several runs, or several attacks, in a table and in one page. */
export function compareCommand(): Command {
  return new Command()
    .argument('<runs...>', 'folders of runs, of series or of attacks, or their names in zeroth-runs')
    .option('-o, --out <folder>', 'write a page there, too')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print one JSON object')
    .addHelpText('after', compareExamples)
    .action(async (given: string[], flags: PageFlags) => {
      const { out, title = given.join(', ') } = flags
      const attacks = await attacksOf(given)
      if (attacks !== undefined) return compareAttacks(attacks, title, flags)
      const read = await readRuns(given)
      const rows = read.runs.map(runRow).sort(bestFirst)
      const notices = areAlike(read.runs) ? [] : [unlikeProblems]
      say(notices)
      const files = out === undefined ? [] : await writePage(read, out, { title })
      const { groups, verdicts } = comparedGroups(read.runs)
      const repeated = groups.some(({ runs }) => runs > 1)
      const tables = [...(repeated ? [textTable(groups, groupColumns)] : []), textTable(rows, runColumns), ...verdicts]
      printCompared({ groups, verdicts, runs: rows, notices }, tables.join('\n\n'), files, flags)
    })
}

/** Runs whose specs differ in nothing but the seed together, best median first, and which group is better. */
function comparedGroups(runs: readonly RunData[]) {
  const groups = runGroups(runs)
  const { texts: verdicts, p } = groupVerdicts(groups)
  const rows = groups.map((group) => {
    const { label, counted, value } = group
    const interval = medianInterval(counted.map(bestValue))
    const { median, smallest: best, largest: worst } = value
    return { group: label, runs: counted.length, median, interval, best, worst, p: p.get(group) }
  })
  return { groups: rows, verdicts }
}

type GroupRow = ReturnType<typeof comparedGroups>['groups'][number]

const groupColumns: readonly Column<GroupRow>[] = [
  { title: 'solver', cell: ({ group }) => group },
  { title: 'runs', align: 'right', cell: ({ runs }) => countText(runs) },
  { title: 'median', align: 'right', cell: ({ median }) => shortNumber(median) },
  { title: '95 % interval', cell: ({ interval }) => interval?.map(shortNumber).join(' to ') ?? '' },
  { title: 'best', align: 'right', cell: ({ best }) => shortNumber(best) },
  { title: 'worst', align: 'right', cell: ({ worst }) => shortNumber(worst) },
  { title: 'against the best', align: 'right', cell: ({ p }) => (p === undefined ? '' : pText(p)) },
]

function say(notices: readonly string[]): void {
  for (const notice of notices) tell(`notice: ${notice}`)
}

/** Whether runs are about the same problem. */
function areAlike(runs: readonly RunData[]): boolean {
  const problems = problemsOf(runs.map(({ meta }) => settingsOf(meta.spec)))
  return new Set(problems.map(({ key }) => key)).size < 2
}

/** Attacks in a table and in a page of their own. */
async function compareAttacks(folders: readonly string[], title: string, flags: PageFlags): Promise<void> {
  const { out } = flags
  const attacks = readAttacks(folders)
  const rows = attacks.map(attackRow)
  const notices = differences(attacks)
  say(notices)
  const files = out === undefined ? [] : await writeAttackPage(attacks, out, title)
  const strongest = [...attacks].sort((a, b) =>
    strongestFirst(strengthOf(a.report.summary), strengthOf(b.report.summary)),
  )
  const verdicts = notices.length > 0 ? [] : imageVerdicts(strongest.map(imageCosts))
  const text = [textTable(rows, attackColumns), ...verdicts].join('\n\n')
  printCompared({ runs: rows, notices, verdicts }, text, files, flags)
}

function printCompared(compared: object, table: string, files: readonly string[], { json }: PageFlags): void {
  const paths = files.map((file) => resolve(file))
  if (json === true) print(JSON.stringify(jsonSafe({ ...compared, files: paths })))
  else print([table, ...files.slice(0, 1)].join('\n\n'))
}

/** The attacks that some names mean, folders of attacks included; undefined where they mean runs. */
async function attacksOf(given: readonly string[]): Promise<string[] | undefined> {
  const meant = await Promise.all(given.map((each) => attacksIn(runsPlace(each))))
  if (meant.every(({ length }) => length === 0)) return undefined
  const other = meant.findIndex(({ length }) => length === 0)
  if (other < 0) return meant.flat()
  throw new ZerothError('invalid-option', `${given[other]} is not an attack: attacks and runs cannot be compared`)
}

type RunRow = ReturnType<typeof runRow>

/** A run beside others; one that has not ended by its trace. */
function runRow({ name, status, result, trace, meta }: RunData) {
  const last = trace.iteration.length - 1
  return {
    run: name,
    status,
    value: result?.value ?? trace.best[last] ?? Number.NaN,
    queries: result?.queries ?? trace.queries[last] ?? 0,
    seed: result?.seed ?? (meta.spec.seed as number),
    seconds: result?.seconds ?? trace.seconds[last] ?? 0,
  }
}

function bestFirst(a: RunRow, b: RunRow): number {
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value))
  return a.value - b.value
}

const runColumns: readonly Column<RunRow>[] = [
  { title: 'run', cell: ({ run }) => run },
  { title: 'status', cell: ({ status }) => status },
  { title: 'value', align: 'right', cell: ({ value }) => shortNumber(value) },
  { title: 'queries', align: 'right', cell: ({ queries }) => countText(queries) },
  { title: 'time', align: 'right', cell: ({ seconds }) => millisecondsText(seconds * 1000) },
]

type AttackRow = ReturnType<typeof attackRow>

/** An attack beside others: queries and distortion are medians over the images that were fooled. */
function attackRow({ name, report: { summary }, record: { spec } }: NamedAttack) {
  return {
    run: name,
    method: String((spec.solver as JsonObject).name),
    problem: String((spec.problem as JsonObject).name),
    attacked: summary.attacked,
    robustAccuracy: summary.robustAccuracy,
    attackSuccessRate: summary.attackSuccessRate,
    firstSuccessQueries: summary.firstSuccessQueries.median,
    bestL2: summary.bestL2.median,
    finalObjective: summary.finalObjective.mean,
  }
}

const attackColumns: readonly Column<AttackRow>[] = [
  { title: 'attack', cell: ({ run }) => run },
  { title: 'method', cell: ({ method }) => method },
  { title: 'problem', cell: ({ problem }) => problem },
  { title: 'images', align: 'right', cell: ({ attacked }) => String(attacked) },
  { title: 'robust', align: 'right', cell: ({ robustAccuracy }) => rate(robustAccuracy) },
  { title: 'success', align: 'right', cell: ({ attackSuccessRate }) => rate(attackSuccessRate) },
  { title: 'queries', align: 'right', cell: ({ firstSuccessQueries }) => shortNumber(firstSuccessQueries) },
  { title: 'l2', align: 'right', cell: ({ bestL2 }) => shortNumber(bestL2) },
  { title: 'objective', align: 'right', cell: ({ finalObjective }) => shortNumber(finalObjective) },
]

function rate(fraction: number): string {
  return Number.isNaN(fraction) ? '' : percent(fraction)
}
