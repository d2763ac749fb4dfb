import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePageFiles } from '../../src/app/report/attack/write-pages.ts'
import { minimize, parts, type Solver } from '../../src/index.ts'
import { machineLines } from '../machine.ts'
import { root } from '../root.ts'
import { cocoMarkdown, cocoPage, cocoText } from './page.ts'
import { type About, type Account, type Coco, openCoco, type ProblemKey, type Suite, suites } from './problems.ts'
import { type CocoRows, openCocoRows } from './rows.ts'
import { summarizeCoco } from './summary.ts'

/** What the command line asked for. */
export interface CocoOptions {
  readonly suites?: string | undefined
  readonly dims?: string | undefined
  readonly solvers?: string | undefined
  readonly instances?: string | undefined
  /** Evaluations per variable. */
  readonly budget?: string | undefined
  readonly rows?: string | undefined
  readonly quick: boolean
  readonly again: boolean
  readonly report: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

const results = join(root, 'bench/results')
const usualRows = join(root, 'bench/rows/coco')

/** A solver under comparison: one of ours by its name, or a peer. */
interface Entrant {
  readonly name: string
  readonly ours: boolean
  fits(suite: Suite, dim: number): boolean
  run(key: ProblemKey, budget: number): Promise<Account>
}

/** Runs methods and peers on the suites of COCO, keeps a row of each run, and prints the shares of targets reached. */
export async function coco(options: CocoOptions): Promise<void> {
  const plan = planOf(options)
  const store = openCocoRows(options.rows ?? usualRows)
  if (!options.report) {
    const problems = await openCoco()
    try {
      await measure(problems, plan, store, options)
    } finally {
      problems.close()
    }
  }
  const tables = summarizeCoco(store.rows)
  process.stdout.write(`${cocoText(tables)}\n`)
  if (options.save) {
    const findings = { rows: store.rows, tables, machine: machineLines(options.command) }
    const files = await writePageFiles(join(results, 'coco'), 'index.html', cocoPage(findings))
    writeFileSync(join(results, 'coco.md'), cocoMarkdown(findings))
    process.stdout.write(`\nwritten: coco.md and coco/ (${files.length} files) in bench/results\n`)
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ tables })}\n`)
}

interface Plan {
  readonly suites: readonly string[]
  /** Those that are asked for, of those that a suite has. */
  readonly dims: readonly number[]
  readonly instances: number
  readonly multiple: number
}

function planOf({ suites: names, dims, instances, budget, quick }: CocoOptions): Plan {
  const chosen = names?.split(',') ?? Object.keys(suites)
  const unknown = chosen.find((name) => suites[name] === undefined)
  if (unknown !== undefined) {
    throw new Error(`--suites: there is no suite ${unknown}; there are ${Object.keys(suites).join(', ')}`)
  }
  return {
    suites: chosen,
    dims: dims?.split(',').map((dim) => wholeNumber('--dims', dim)) ?? (quick ? [5] : [2, 3, 5, 10, 20, 40]),
    instances: wholeNumber('--instances', instances ?? (quick ? '1' : '15')),
    multiple: wholeNumber('--budget', budget ?? (quick ? '30' : '100')),
  }
}

function wholeNumber(flag: string, given: string): number {
  const value = Number(given)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`${flag} must be a whole number of at least 1, got ${given}`)
}

async function measure(problems: Coco, plan: Plan, store: CocoRows, options: CocoOptions): Promise<void> {
  const entrants = entrantsOf(problems, options.solvers)
  if (options.again) {
    store.remove(({ solver, suite }) => plan.suites.includes(suite) && entrants.some(({ name }) => name === solver))
  }
  for (const name of plan.suites) {
    const suite = suites[name] as Suite
    for (const dim of suite.dims.filter((each) => plan.dims.includes(each))) {
      for (const entrant of entrants.filter((each) => each.fits(suite, dim))) {
        await measureSuite(entrant, name, dim, plan, store)
      }
    }
  }
}

async function measureSuite(entrant: Entrant, suite: string, dim: number, plan: Plan, store: CocoRows): Promise<void> {
  const { functions, instances } = suites[suite] as Suite
  const budget = plan.multiple * dim
  const began = performance.now()
  let runs = 0
  for (let number = 1; number <= functions; number++) {
    for (let instance = 1; instance <= Math.min(instances, plan.instances); instance++) {
      const key = { suite, dim, function: number, instance }
      if (store.has({ ...key, solver: entrant.name, budget })) continue
      const account = await entrant.run(key, budget)
      store.add({ solver: entrant.name, ours: entrant.ours, ...key, budget, ...account })
      runs++
    }
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (runs > 0) process.stderr.write(`${suite} ${dim} ${entrant.name}: ${runs} runs in ${seconds} s\n`)
}

function entrantsOf(problems: Coco, given: string | undefined): Entrant[] {
  const peers = problems.peers.map(
    ({ name, largest, whole, constraints }): Entrant => ({
      name,
      ours: false,
      fits: (suite, dim) => dim <= largest && (whole || !suite.whole) && (constraints || !suite.constraints),
      run: (key, budget) => problems.run(name, key, { budget, seed: key.instance }),
    }),
  )
  for (const line of problems.missing) process.stderr.write(`${line}\n`)
  const names = given?.split(',') ?? ['auto', ...peers.map(({ name }) => name)]
  return names.map((name) => {
    const found = ownEntrant(problems, name) ?? peers.find((each) => each.name === name)
    if (found !== undefined) return found
    throw new Error(`--solvers: there is no ${name}; the peers here are ${peers.map((each) => each.name).join(', ')}`)
  })
}

/** A method of this library as a user runs it who knows the bounds and no start. */
function ownEntrant(problems: Coco, name: string): Entrant | undefined {
  const method = (parts.solver as readonly Named[]).find(({ definition }) => definition.name === name)
  if (method === undefined && name !== 'auto') return undefined
  return {
    name,
    ours: true,
    fits: ({ whole, constraints }) =>
      constraints !== true && (whole !== true || name === 'auto' || method?.definition.takesMixed === true),
    async run(key, budget) {
      const problem = await problems.open(key, budget)
      const cpu = process.cpuUsage()
      const note = await minimize(async (x) => (await problem.ask(Object.values(x) as number[]))[0] as number, {
        variables: variablesOf(problem.about),
        maxQueries: budget,
        seed: key.instance,
        ...(method === undefined ? {} : { solver: method() as Solver }),
      }).then(
        ({ stopReason }) => stopReason,
        (error: unknown) => `failed: ${String(error)}`,
      )
      const { user, system } = process.cpuUsage(cpu)
      return { ...(await problem.account()), own: (user + system) / 1e6, note }
    },
  }
}

interface Named {
  (): object
  readonly definition: { readonly name: string; readonly takesMixed?: boolean }
}

function variablesOf({ lower, upper, whole }: About) {
  const entries = lower.map((from, i) => {
    const range = { from, to: upper[i] as number }
    return [`x${i + 1}`, i < whole ? { ...range, step: 1 } : range] as const
  })
  return Object.fromEntries(entries)
}
