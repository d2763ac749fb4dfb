import { join } from 'node:path'
import { print } from '../../src/app/cli/program.ts'
import { exitCodes, type Watcher } from '../../src/app/cli/terminal.ts'
import { textTable } from '../../src/app/report/index.ts'
import { lockFolder } from '../../src/app/store/index.ts'
import { jsonSafe } from '../../src/optimizer/core/exact-json.ts'
import { checkAllowed } from './check-allowed.ts'
import { chosenExperiments, drawReproduction, type Reproduced } from './draw-reproduction.ts'
import { invocation } from './invocation.ts'
import { checkFolder } from './kept/kept-subject.ts'
import type { ClaimResult } from './page/claims-section.ts'
import { existingReproduction, type ReproduceRecord } from './reproduce-record.ts'
import { missingCells, runReproduction } from './run-reproduction.ts'
import { recordedResults } from './stored-results.ts'
import { type Experiment, type Plan, planOf, type Results } from './tables/index.ts'
import { beginWorkSession } from './work-session.ts'

/** How a reproduction is run. */
export interface ReproductionConduct {
  readonly workers?: number | undefined
  readonly only?: string | undefined
  /** Milliseconds after which attacks are saved and what there is is drawn. */
  readonly maxTime?: number | undefined
  /** Makes no attacks. */
  readonly redraw?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Runs the missing attacks as long as there is time, draws everything and prints the results; returns the exit code. */
export async function performReproduction(
  out: string,
  record: ReproduceRecord,
  conduct: ReproductionConduct,
  watching: Watcher,
): Promise<number> {
  const plan = planOf(record.settings)
  const chosen = chosenExperiments(record)
  const results = recordedResults(out, record)
  const isDone =
    conduct.redraw === true ||
    (await makeMissing({ out, record, plan, chosen, results }, conduct, timed(watching, conduct.maxTime)))
  const next = `continue with ${invocation(['resume', out])}`
  if (!isDone && watching.signal.aborted) {
    if (conduct.json === true) print(JSON.stringify({ status: 'aborted', out }))
    watching.say(`interrupted and saved: ${next}`)
    return exitCodes.interrupted
  }
  if (!isDone) watching.say(`the time is up, and all is saved: ${next}`)
  const worked = existingReproduction(out)
  const drawn = await drawReproduction(out, worked, { results })
  print(conduct.json === true ? jsonText(out, worked, drawn) : plainResult(out, drawn, chosen))
  return exitCodes.ok
}

/** The same, with a signal that stops the attacks when the time is up, too. */
function timed(watching: Watcher, maxTime: number | undefined): Watcher {
  if (maxTime === undefined) return watching
  const stopping = new AbortController()
  watching.signal.addEventListener('abort', () => stopping.abort(watching.signal.reason))
  setTimeout(() => stopping.abort(new Error('the time is up')), maxTime).unref()
  return { ...watching, signal: stopping.signal }
}

interface Work {
  readonly out: string
  readonly record: ReproduceRecord
  readonly plan: Plan
  readonly chosen: readonly Experiment[]
  readonly results: Results
}

/** Runs what is missing, if anything is; false if that was interrupted. */
async function makeMissing(
  { out, record, plan, chosen, results }: Work,
  { workers, only }: ReproductionConduct,
  watching: Watcher,
): Promise<boolean> {
  const [first] = missingCells(chosen, plan, results, only)
  if (first === undefined) return true
  await checkAllowed(first.spec, out)
  if (record.kept !== undefined) checkFolder(record.kept, imageFolderOf(record))
  // One process at a time: two would run the same attacks and overwrite each other's record.
  const lock = await lockFolder(out)
  try {
    if (lock.note !== undefined) watching.say(`zeroth: ${lock.note}`)
    return await inSession({ out, record, plan, chosen, results }, { workers, only }, watching)
  } finally {
    lock.release()
  }
}

/** The folder of the images; none where they come from elsewhere. */
function imageFolderOf({ settings }: ReproduceRecord): string {
  const { images } = settings.subject ?? {}
  const { folder } = (images ?? {}) as { folder?: unknown }
  const named = typeof folder === 'object' && folder !== null ? (folder as { folder?: unknown }).folder : folder
  return String(typeof images === 'string' ? images : named)
}

/** Runs attacks, and records when and how. */
async function inSession(
  { out, plan, chosen, results }: Work,
  { workers, only }: ReproductionConduct,
  watching: Watcher,
): Promise<boolean> {
  const session = beginWorkSession(out, { command: invocation(), conduct: { workers, only } })
  try {
    const isDone = await runReproduction(out, chosen, plan, results, { workers, only, watching, onDone: session.done })
    session.end()
    return isDone
  } catch (error) {
    session.end()
    // The explanation then names the reproduction to resume, not the single attack.
    if (error instanceof Error) Object.assign(error, { run: out })
    throw error
  }
}

function jsonText(out: string, { settings, seconds }: ReproduceRecord, drawn: Reproduced): string {
  const { claims, findings, files, done, cells, modelCalls, provenance } = drawn
  const short = claims.map(({ id, claim, verdict, iterations, queries }) => ({
    id,
    claim,
    verdict,
    atEqualIterations: iterations.verdict,
    atEqualQueries: queries.verdict,
  }))
  const status = done === cells ? 'finished' : 'partial'
  const page = join(out, 'index.html')
  const { seed, command, sittings } = provenance
  const made = { command, seed, cells, done, modelCalls, seconds, sittings }
  return JSON.stringify(jsonSafe({ status, out, page, settings, ...made, claims: short, findings, files }))
}

function plainResult(
  out: string,
  { claims, findings, done, cells, modelCalls }: Reproduced,
  chosen: readonly Experiment[],
): string {
  const table = textTable(claims, [
    { title: 'claim', cell: ({ id, claim }: ClaimResult) => `${id} ${claim}` },
    { title: 'equal iterations', cell: ({ iterations }: ClaimResult) => shortVerdict(iterations.verdict) },
    { title: 'equal queries', cell: ({ queries }: ClaimResult) => shortVerdict(queries.verdict) },
  ])
  const counted = `${done} of ${cells} attacks, ${modelCalls.toLocaleString('en')} images classified`
  const found = [...(claims.length === 0 ? [] : [table]), ...findings].map((text) => `${text}\n\n`).join('')
  const drawn = chosen.length === 1 ? '1 table or figure' : `${chosen.length} tables and figures`
  return `${found}${drawn} from ${counted}\nReport: ${join(out, 'index.html')}`
}

function shortVerdict(verdict: string): string {
  return verdict.replace(' from this scale', '')
}
