import { join } from 'node:path'
import { exitCodes } from '../../src/cli/explain-error.ts'
import { print } from '../../src/cli/output.ts'
import type { Watcher } from '../../src/cli/watch.ts'
import { jsonSafe } from '../../src/core/json-safe.ts'
import { textTable } from '../../src/report/index.ts'
import { lockFolder } from '../../src/trace/index.ts'
import { checkAllowed } from './check-allowed.ts'
import { chosenExperiments, drawReproduction, type Reproduced } from './draw-reproduction.ts'
import { invocation } from './invocation.ts'
import type { ClaimResult } from './page/claims-section.ts'
import type { ReproduceRecord } from './reproduce-record.ts'
import { missingCells, runReproduction } from './run-reproduction.ts'
import { storedResults } from './stored-results.ts'
import { type Experiment, type Plan, planOf, type Results } from './tables/index.ts'
import { beginWorkSession } from './work-session.ts'

/** How a reproduction is run. */
export interface ReproductionConduct {
  readonly workers?: number | undefined
  readonly only?: string | undefined
  /** Makes no attacks. */
  readonly redraw?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Runs the missing attacks, draws everything and prints the results; returns the exit code. */
export async function performReproduction(
  out: string,
  record: ReproduceRecord,
  conduct: ReproductionConduct,
  watching: Watcher,
): Promise<number> {
  const plan = planOf(record.settings)
  const chosen = chosenExperiments(record)
  const results = storedResults(out)
  const isDone = conduct.redraw === true || (await makeMissing({ out, plan, chosen, results }, conduct, watching))
  if (isDone === false) {
    if (conduct.json === true) print(JSON.stringify({ status: 'aborted', out }))
    watching.say(`interrupted and saved: continue with ${invocation(['resume', out])}`)
    return exitCodes.interrupted
  }
  const worked = isDone === true ? record : isDone
  const drawn = await drawReproduction(out, worked, { results })
  print(conduct.json === true ? jsonText(out, worked, drawn) : plainResult(out, drawn, chosen))
  return exitCodes.ok
}

interface Work {
  readonly out: string
  readonly plan: Plan
  readonly chosen: readonly Experiment[]
  readonly results: Results
}

/** True if nothing was missing, the record of the folder if attacks ran, false if they were interrupted. */
async function makeMissing(
  { out, plan, chosen, results }: Work,
  { workers, only }: ReproductionConduct,
  watching: Watcher,
): Promise<boolean | ReproduceRecord> {
  const [first] = missingCells(chosen, plan, results, only)
  if (first === undefined) return true
  checkAllowed(first.spec, out)
  // One process at a time: two would run the same attacks and overwrite each other's record.
  const lock = lockFolder(out)
  try {
    if (lock.note !== undefined) watching.say(`zeroth: ${lock.note}`)
    return await inSession({ out, plan, chosen, results }, { workers, only }, watching)
  } finally {
    lock.release()
  }
}

/** Runs attacks, and records when and how. */
async function inSession(
  { out, plan, chosen, results }: Work,
  { workers, only }: ReproductionConduct,
  watching: Watcher,
): Promise<false | ReproduceRecord> {
  const session = beginWorkSession(out, { command: invocation(), conduct: { workers, only } })
  try {
    const isDone = await runReproduction(out, chosen, plan, results, { workers, only, watching, onDone: session.done })
    const record = session.end()
    return isDone ? record : false
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
