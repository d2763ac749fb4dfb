import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEvaluation } from '../src/app/jobs/index.ts'
import { type Column, textTable } from '../src/app/report/table.ts'
import { driveRun } from '../src/app/store/drive-run.ts'
import { pointsChecksum } from '../src/app/store/journal.ts'
import type { LockTiming } from '../src/app/store/lock.ts'
import { createRun } from '../src/app/store/open-run.ts'
import { createSession, functionObjective, zoAdaMM } from '../src/index.ts'
import { type EmbeddedName, embeddedImages, embeddedModel, embeddedNames } from '../src/robustness/embedded/index.ts'
import { constrained, evaluateRobustness, type RobustnessOptions } from '../src/robustness/index.ts'
import { machineLines } from './machine.ts'
import { median } from './race.ts'
import { root } from './root.ts'

/** What the command line asked for. */
interface TrustOptions {
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
  /** Images of each set. */
  readonly count?: string | undefined
}

/** What was asked again in an evaluation. */
interface Confirmed {
  readonly what: string
  readonly images: number
  readonly queries: number
  readonly again: number
}

const right = 'right'
const confirmedColumns: readonly Column<Confirmed>[] = [
  { title: 'evaluation', cell: ({ what }) => what },
  { title: 'images', align: right, cell: ({ images }) => String(images) },
  { title: 'queries', align: right, cell: ({ queries }) => String(queries) },
  { title: 'asked again', align: right, cell: ({ again }) => String(again) },
  { title: 'share', align: right, cell: ({ again, queries }) => percent(again / queries) },
]

/**
 * What it costs that results can be trusted: the queries that confirm successes; the time of a run's signs of life, of the
 * checksums of its points, and of the seals of an evaluation. Processor time, by turns, so that others may use the machine.
 */
export async function trust(options: TrustOptions): Promise<void> {
  const count = Number(options.count ?? (options.quick ? 5 : 50))
  const confirmed: Confirmed[] = []
  for (const name of embeddedNames) confirmed.push(...(await confirmations(name, count)))
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-bench-trust-'))
  try {
    const lease = await leases(folder, options.quick ? { rounds: 3, queries: 30_000 } : { rounds: 9, queries: 300_000 })
    const sums = await checksums(folder, options.quick ? 300 : 3000)
    const seals = await sealing(folder)
    const lines = [
      textTable(confirmed, confirmedColumns),
      '',
      `signs of life, and the looks before each write: ${percent(lease.cost)} of the processor time of a run (d = 10, a query`,
      `that costs nothing; median of ${lease.rounds} rounds; two runs without them differ by ${percent(lease.spread)})`,
      textTable(sums, sumColumns),
      `seals of an evaluation of 5 digits, made and checked: ${percent(seals)} of its processor time`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    if (options.save) writeFileSync(join(root, 'bench/results/trust.md'), page(lines, options.command))
    if (options.json) process.stdout.write(`${JSON.stringify({ confirmed, lease, sums, seals })}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function page(lines: readonly string[], command: string): string {
  return ['# What trust costs', '', '```text', ...lines, '```', '', ...machineLines(command), ''].join('\n')
}

/** Evaluations of an embedded classifier, and how many queries were asked again beside their budgets. */
async function confirmations(name: EmbeddedName, count: number): Promise<Confirmed[]> {
  const model = await embeddedModel(name).open()
  const limit = name === 'digits' ? 0.1 : 8 / 255
  const kinds: readonly [string, RobustnessOptions][] = [
    ['by default', {}],
    [`within ${name === 'digits' ? '0.1' : '8/255'}`, { formulation: constrained({ linf: limit }) }],
    ['one perturbation for all', { universal: true, formulation: constrained({ linf: 3 * limit }), count: 10 }],
  ]
  const found: Confirmed[] = []
  try {
    for (const [kind, given] of kinds) {
      const { summary } = await evaluateRobustness(model, await embeddedImages(name), { count, ...given })
      const { confirmations, queries, attacked: images } = summary
      // Each query of a universal attack classifies every image.
      const classified = given.universal === true ? queries * images : queries
      const again = confirmations.successes + confirmations.clean
      found.push({ what: `${name}, ${kind}`, images, queries: classified, again })
      process.stderr.write(`${name}, ${kind}: ${again} of ${classified}\n`)
    }
  } finally {
    await model.close()
  }
  return found
}

const bowl = (x: Float64Array): number => x.reduce((sum, each) => sum + each * each, 0)
const about = { id: 'bench', created: '2026-01-01T00:00:00Z', zeroth: '0.1.0', spec: {} }

/** A lock that gives no sign of life and never looks. */
const idle: LockTiming = { now: () => 0, sleep: async () => undefined, every: () => () => undefined }

/** The share of the processor time of a stored run that its lock takes, and by how much two runs without one differ. */
async function leases(folder: string, { rounds, queries }: { rounds: number; queries: number }) {
  let made = 0
  const timed = async (timing?: LockTiming): Promise<number> => {
    const place = join(folder, `run-${++made}`)
    const before = process.cpuUsage()
    const store = await createRun(place, about, timing === undefined ? {} : { timing })
    const solver = zoAdaMM({ directions: 10 })
    await driveRun(store, functionObjective(bowl, { dim: 10 }), new Float64Array(10).fill(1), {
      ...{ solver, seed: 1, maxQueries: queries },
    })
    await store.close()
    const { user, system } = process.cpuUsage(before)
    rmSync(place, { recursive: true })
    return user + system
  }
  await timed(idle)
  const costs: number[] = []
  const spreads: number[] = []
  for (let round = 0; round < rounds; round++) {
    const [one, held, other] = [await timed(idle), await timed(), await timed(idle)]
    costs.push(held / ((one + other) / 2) - 1)
    spreads.push(Math.abs(other / one - 1))
  }
  return { rounds, cost: median(costs), spread: median(spreads) }
}

/** What the checksum of points takes beside the rest of an iteration. */
interface Sums {
  readonly dim: number
  readonly sum: number
  readonly iteration: number
}

const sumColumns: readonly Column<Sums>[] = [
  { title: 'd', align: right, cell: ({ dim }) => String(dim) },
  { title: 'checksum of points, us', align: right, cell: ({ sum }) => sum.toFixed(2) },
  { title: 'whole iteration, us', align: right, cell: ({ iteration }) => iteration.toFixed(1) },
  { title: 'share', align: right, cell: ({ sum, iteration }) => percent(sum / iteration) },
]

/** Per iteration of a stored run, in microseconds, on an objective that adds up squares. */
async function checksums(folder: string, calls: number): Promise<Sums[]> {
  const found: Sums[] = []
  for (const dim of [10, 1000, 100_000]) {
    const times = Math.max(20, Math.round((calls * 1000) / (1000 + dim)))
    const solver = zoAdaMM({ directions: 10 })
    const start = new Float64Array(dim).fill(1)
    const queries = createSession(start, { solver, seed: 1, maxQueries: 1000 }).ask()
    const checksum = pointsChecksum()
    const repeat = (): void => {
      for (let i = 0; i < times; i++) checksum(queries)
    }
    repeat()
    const sum = await timePer(times, async () => repeat())
    const store = await createRun(join(folder, `sums-${dim}`), about)
    const options = { solver, seed: 1, maxQueries: 11 * times }
    const run = () => driveRun(store, functionObjective(bowl, { dim }), start, options)
    found.push({ dim, sum, iteration: await timePer(times, run) })
    await store.close()
  }
  return found
}

/** Microseconds of processor time for each of so many times. */
async function timePer(times: number, work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** The share of the processor time of an evaluation that hashing all its files twice would take. */
async function sealing(folder: string): Promise<number> {
  const place = join(folder, 'evaluation')
  const spec = { model: 'digits', count: 5, maxQueries: 2000, parallel: 1 }
  const whole = await timePer(1, async () => {
    for await (const _ of (await openEvaluation(place, spec)).perform());
  })
  const entries = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sealed = entries.filter(({ name }) => /\.(json|png)$/.test(name))
  const bytes = sealed.map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  const rounds = 100
  const hashing = await timePer(rounds, async () => {
    for (let i = 0; i < 2 * rounds; i++) for (const each of bytes) createHash('sha256').update(each).digest('hex')
  })
  return hashing / whole
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`
}
