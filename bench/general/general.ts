import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePageFiles } from '../../src/app/report/attack/write-pages.ts'
import { machineLines } from '../machine.ts'
import { root } from '../root.ts'
import { withTables } from './docs-tables.ts'
import { groups } from './groups.ts'
import { generalMarkdown } from './markdown.ts'
import { measure, type Protocol } from './measure.ts'
import { automatic, ownSolver, usualMethods } from './own-solvers.ts'
import { generalPage } from './page.ts'
import { openPeers } from './peer-solvers.ts'
import { type MinimizerRows, openRows } from './rows.ts'
import type { Solver } from './solver.ts'
import { summarize } from './summary.ts'
import { goalsText, groupText, reading } from './text.ts'
import { verdicts } from './verdicts.ts'

/** What the command line asked for. */
export interface GeneralOptions {
  readonly groups?: string | undefined
  readonly solvers?: string | undefined
  readonly seeds?: string | undefined
  readonly budget?: string | undefined
  readonly limit?: string | undefined
  readonly rows?: string | undefined
  readonly quick: boolean
  readonly again: boolean
  readonly report: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

const results = join(root, 'bench/results')
const page = join(root, 'docs/which-method.md')
const usualRows = join(root, 'bench/rows')

/** Runs methods and peers on groups of problems, keeps a row per run, and prints how many problems each solves. */
export async function general(options: GeneralOptions): Promise<void> {
  const names = chosenGroups(options.groups)
  const store = openRows(options.rows ?? usualRows)
  const protocol = protocolOf(options)
  if (options.report) return report(store, options)
  const solvers = await openSolvers(options.solvers)
  if (options.again)
    store.remove(({ solver, group }) => names.includes(group) && solvers.some((s) => s.name === solver))
  for (const group of names) await measureGroup(group, solvers, protocol, store, options.quick)
  for (const solver of solvers) solver.close()
  await report(store, options)
}

async function measureGroup(
  group: string,
  solvers: readonly Solver[],
  protocol: Protocol,
  store: MinimizerRows,
  quick: boolean,
): Promise<void> {
  const problems = groups[group]?.problems() ?? []
  const chosen = quick ? problems.filter((_, i) => i % 4 === 0) : problems
  for (const solver of solvers) {
    const began = performance.now()
    const runs = await measure(solver, chosen, protocol, store)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    if (runs > 0) process.stderr.write(`${group} ${solver.name}: ${runs} runs in ${seconds} s\n`)
  }
}

async function report({ rows }: MinimizerRows, options: GeneralOptions): Promise<void> {
  const summaries = summarize(rows)
  const list = verdicts(automatic, rows, summaries)
  const text = [...summaries.map(groupText), reading, goalsText(automatic, list)].join('\n\n')
  process.stdout.write(`${text}\n`)
  const summary = JSON.stringify({ groups: summaries, goals: list })
  if (options.save) {
    const machine = machineLines(options.command)
    const findings = { rows, summaries, method: automatic, verdicts: list, machine }
    const files = await writePageFiles(join(results, 'general'), 'index.html', generalPage(findings))
    writeFileSync(join(results, 'general.md'), generalMarkdown(findings))
    writeFileSync(join(results, 'general.json'), `${summary}\n`)
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), findings))
    process.stdout.write(
      `\nwritten: general.md, general.json and general/ (${files.length} files) in bench/results; docs/which-method.md\n`,
    )
  }
  if (options.json) process.stdout.write(`${summary}\n`)
}

function chosenGroups(given: string | undefined): string[] {
  if (given === undefined) return Object.keys(groups).filter((name) => groups[name]?.onDemand !== true)
  const names = given.split(',')
  const unknown = names.find((name) => groups[name] === undefined)
  if (unknown === undefined) return names
  throw new Error(`--groups: there is no group ${unknown}; there are ${Object.keys(groups).join(', ')}`)
}

function protocolOf({ seeds, budget, limit, quick }: GeneralOptions): Protocol {
  return {
    seeds: seeds === undefined ? (quick ? 1 : 3) : wholeNumber('--seeds', seeds),
    timeLimit: 1000 * (limit === undefined ? 120 : wholeNumber('--limit', limit)),
    budget: budget === undefined ? undefined : wholeNumber('--budget', budget),
  }
}

function wholeNumber(flag: string, given: string): number {
  const value = Number(given)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`${flag} must be a whole number of at least 1, got ${given}`)
}

/** The methods and peers by name; without names, the usual ones and all peers that are there. */
async function openSolvers(given: string | undefined): Promise<Solver[]> {
  const names = given?.split(',')
  const own = (names ?? usualMethods).map((name) => ({ name, solver: ownSolver(name) }))
  const unknown = own.filter(({ solver }) => solver === undefined).map(({ name }) => name)
  const found = own.flatMap(({ solver }) => solver ?? [])
  if (names !== undefined && unknown.length === 0) return found
  const { solvers, missing } = await openPeers()
  const left = names === undefined ? unknown.map((name) => `${name}: not in this version`) : []
  for (const line of [...left, ...missing]) process.stderr.write(`${line}\n`)
  const peers = solvers.filter(({ name }) => names?.includes(name) ?? true)
  const nowhere = names?.find((name) => ![...found, ...peers].some((each) => each.name === name))
  if (nowhere === undefined) return [...found, ...peers]
  for (const solver of solvers) solver.close()
  throw new Error(`--solvers: there is no ${nowhere}; the peers here are ${solvers.map(({ name }) => name).join(', ')}`)
}
