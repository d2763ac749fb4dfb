import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Tinypool } from 'tinypool'
import type { AttackReport } from '../../src/attacks/index.ts'
import { type EmbeddedName, embeddedNames, tunedRate } from '../../src/embedded/index.ts'
import { machine, zerothVersion } from '../../src/provenance/machine.ts'
import { now } from '../../src/provenance/wall-clock.ts'
import { attackPage, shortNumber, textTable } from '../../src/report/index.ts'
import { methodOf, methods, smoothing } from '../methods.ts'
import type { AttackCell } from './attack-cell.ts'

const help = `npm start [-- options]

How robust is a classifier when an attacker can only query it? Attacks the embedded classifier with the paper's seven
methods, both problems, at equal queries and tuned learning rates, and writes a report with figures and pictures.

  --model NAME      ${embeddedNames.join(' or ')} (default digits)
  --count N         images attacked by each method (default 10)
  --max-queries N   queries per image at most (default 11001)
  --seed N          (default 1)
  --out DIR         where the report goes (default zeroth-output)
  --help            this text

zeroth attack does the same to your own model: npx zeroth attack --help`

interface Flags {
  readonly images: EmbeddedName
  readonly count: number
  readonly maxQueries: number
  readonly seed: number
  readonly out: string
}

/** A cell and what it came to. */
interface Line {
  readonly cell: AttackCell
  readonly title: string
  readonly report: AttackReport
}

async function main(): Promise<void> {
  const flags = readFlags()
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  mkdirSync(flags.out, { recursive: true })
  const pool = new Tinypool({
    filename: new URL('./attack-cell.js', import.meta.url).href,
    name: 'attackCell',
    maxThreads: Math.min(availableParallelism(), 8),
    minThreads: 0,
  })
  say(
    `${flags.images}: ${flags.count} images, ${flags.maxQueries} queries each, every method at its tuned learning rate`,
  )
  const lines = await Promise.all(
    cellsOf(flags).map(async (cell): Promise<Line> => {
      const report: AttackReport = await pool.run(cell)
      const { title } = methodOf(cell.problem, cell.method)
      const { fooled, attacked, firstSuccessQueries } = report.summary
      const effort = `${shortNumber(firstSuccessQueries.mean)} queries on average`
      say(`  ${cell.problem.padEnd(13)} ${title.padEnd(10)} fooled on ${fooled} of ${attacked} images, ${effort}`)
      return { cell, title, report }
    }),
  )
  await pool.destroy()
  process.stdout.write(`\n${table(lines)}\n`)
  process.stdout.write(`\nNumbers: ${writeNumbers(lines, flags)}\nReport: ${writePage(lines, flags)}\n`)
}

/** The slowest first, so that no core waits for it at the end. */
function cellsOf({ images, count, maxQueries, seed, out }: Flags): AttackCell[] {
  return (['unconstrained', 'constrained'] as const).flatMap((problem) =>
    methods[problem].map(({ name }) => {
      const learningRate = tunedRate(images, problem, name)
      if (learningRate === undefined) throw new Error(`no learning rate is known for ${name} on ${images}`)
      const folder = `pictures/${problem}-${name}`
      return { images, problem, method: name, learningRate, count, maxQueries, seed, out, folder }
    }),
  )
}

function readFlags(): Flags {
  const text = { type: 'string' } as const
  const options = {
    model: text,
    count: text,
    'max-queries': text,
    seed: text,
    out: text,
    help: { type: 'boolean' },
  } as const
  try {
    const { values } = parseArgs({ options })
    if (values.help === true) {
      process.stdout.write(`${help}\n`)
      process.exit(0)
    }
    const images = embeddedNames.find((name) => name === (values.model ?? 'digits'))
    if (images === undefined) throw new Error(`--model must be ${embeddedNames.join(' or ')}, got ${values.model}`)
    return {
      images,
      count: whole('count', values.count, 10, 1),
      maxQueries: whole('max-queries', values['max-queries'], 11001, 50),
      seed: whole('seed', values.seed, 1, 0),
      out: resolve(values.out ?? 'zeroth-output'),
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}\n`)
    process.exit(2)
  }
}

function whole(name: string, given: string | undefined, otherwise: number, least: number): number {
  const value = Number(given ?? otherwise)
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new Error(`--${name} must be a whole number of at least ${least}, got ${given}`)
}

const columns: readonly (readonly [string, (report: AttackReport) => string])[] = [
  ['success', ({ summary }) => `${Math.round(100 * summary.attackSuccessRate)} %`],
  ['queries to 1st', ({ summary }) => shortNumber(summary.firstSuccessQueries.mean)],
  ['l2^2 at 1st', ({ summary }) => shortNumber(summary.firstSuccessL2sq.mean)],
  ['best', ({ summary }) => shortNumber(summary.bestL2sq.mean)],
  ['final', ({ summary }) => shortNumber(summary.finalL2sq.mean)],
  ['kept', ({ summary }) => `${Math.round(100 * summary.kept)} %`],
]

function table(lines: readonly Line[]): string {
  return textTable(lines, [
    { title: 'problem', cell: ({ cell }) => cell.problem },
    { title: 'method', cell: ({ title }) => title },
    { title: 'rate', align: 'right', cell: ({ cell }) => shortNumber(cell.learningRate) },
    ...columns.map(([title, of]) => ({ title, align: 'right' as const, cell: ({ report }: Line) => of(report) })),
  ])
}

function writeNumbers(lines: readonly Line[], { out }: Flags): string {
  const head =
    'problem,method,learningRate,image,label,status,firstQueries,firstL2sq,bestL2sq,finalL2sq,success8bit,queries'
  const rows = lines.flatMap(({ cell, report }) =>
    report.images.map(({ title, label, status, first, best, final, success8bit, queries }) =>
      [cell.problem, cell.method, cell.learningRate, title, label, status, first?.queries, first?.l2sq, best?.l2sq]
        .concat([final?.l2sq, success8bit === null ? '' : String(success8bit), queries])
        .join(','),
    ),
  )
  const file = join(out, 'images.csv')
  writeFileSync(file, `${[head, ...rows].join('\n')}\n`)
  return file
}

function writePage(lines: readonly Line[], { images, count, maxQueries, seed, out }: Flags): string {
  const pictures = (file: string) => `data:image/png;base64,${readFileSync(join(out, file)).toString('base64')}`
  const { html, figures } = attackPage({
    title: `Seven zeroth-order attacks on the embedded ${images} classifier`,
    runs: lines.map(({ cell, title, report }) => ({
      name: title,
      problem: cell.problem,
      report,
      pictures,
      settings: [['learning rate', String(cell.learningRate)]],
    })),
    settings: [
      ['model', `${images} (embedded)`],
      ['images', `${count} held-out test images that it classifies correctly, the same for all methods`],
      ['queries per image', String(maxQueries)],
      ['directions per iteration', '10'],
      ['smoothing radius', String(smoothing)],
      ['weight of the attack loss', '10'],
      ['seed', String(seed)],
    ],
    command: `npm start -- --model ${images} --count ${count} --max-queries ${maxQueries} --seed ${seed}`,
    machine: machine(),
    created: now(),
    zeroth: zerothVersion(),
  })
  for (const [name, svg] of Object.entries(figures)) writeFileSync(join(out, `${name}.svg`), svg)
  const file = join(out, 'index.html')
  writeFileSync(file, html)
  return file
}

await main()
