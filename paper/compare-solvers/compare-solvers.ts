import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { drawingDocument, shortNumber, textTable } from '../../src/app/report/index.ts'
import { type Arena, arenas, type Contender } from './arenas.ts'
import { type CurvePoint, convergenceFigure } from './figure.ts'
import { type Trial, tryOut, tune } from './trials.ts'

const seeds = [1, 2, 3, 4, 5]
const curveSteps = 60

const help = `npm run compare [-- options]

Compares the paper's seven algorithms at equal queries on an unconstrained and a constrained problem. Every method
tries the same number of learning rates on one seed; its best rate is then run on ${seeds.length} others.

  --queries N   queries per run (default 4000)
  --out DIR     where the figure and the numbers go (default zeroth-output)
  --help        this text`

/** One line of the result: a method at its best rate on one problem. */
interface Line {
  readonly arena: Arena
  readonly contender: Contender
  readonly rate: number
  readonly trial: Trial
}

main()

function main(): void {
  const { queries, out } = readFlags()
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  const lines: Line[] = []
  for (const arena of arenas) {
    say(`\n${arena.title}: ${arena.description}`)
    for (const contender of arena.contenders) {
      const rate = tune(arena, contender, queries)
      const trial = tryOut(arena, contender, rate, queries, seeds)
      lines.push({ arena, contender, rate, trial })
      say(`  ${contender.name.padEnd(12)} rate ${shortNumber(rate).padEnd(6)} gap ${shortNumber(trial.gap.median)}`)
    }
  }
  process.stdout.write(`\n${table(lines)}\n`)
  const files = write(lines, queries, resolve(out))
  process.stdout.write(`\nReport: ${files.figure}\nNumbers: ${files.numbers}\n`)
}

function readFlags(): { queries: number; out: string } {
  const options = { queries: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean' } } as const
  try {
    const { values } = parseArgs({ options })
    if (values.help === true) {
      process.stdout.write(`${help}\n`)
      process.exit(0)
    }
    const queries = Number(values.queries ?? 4000)
    if (!Number.isInteger(queries) || queries < 100) {
      throw new Error(`--queries must be a whole number of at least 100, got ${values.queries}`)
    }
    return { queries, out: values.out ?? 'zeroth-output' }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}\n`)
    process.exit(2)
  }
}

function table(lines: readonly Line[]): string {
  return textTable(lines, [
    { title: 'problem', cell: ({ arena }) => arena.title },
    { title: 'method', cell: ({ contender }) => contender.name },
    { title: 'learning rate', align: 'right', cell: ({ rate }) => shortNumber(rate) },
    { title: 'gap at the end', align: 'right', cell: ({ trial }) => shortNumber(trial.gap.median) },
    {
      title: 'quartiles',
      align: 'right',
      cell: ({ trial }) => `${shortNumber(trial.gap.lowerQuartile)} - ${shortNumber(trial.gap.upperQuartile)}`,
    },
    { title: 'queries to 1 %', align: 'right', cell: ({ trial }) => queriesTo(trial, 0.01) },
  ])
}

/** Queries after which the median curve is below a share of the first gap. */
function queriesTo(trial: Trial, share: number): string {
  const reached = trial.curve.find(({ value }) => value <= share)
  return reached === undefined ? 'not reached' : String(reached.queries)
}

function write(lines: readonly Line[], queries: number, folder: string): { figure: string; numbers: string } {
  const points: CurvePoint[] = lines.flatMap(({ arena, contender, trial }) =>
    trial.curve
      .filter(
        (_, i) => i % Math.max(1, Math.floor(trial.curve.length / curveSteps)) === 0 || i === trial.curve.length - 1,
      )
      .map((point) => ({ panel: arena.title, method: contender.name, ...point })),
  )
  mkdirSync(folder, { recursive: true })
  const figure = resolve(folder, 'compare-solvers.svg')
  const numbers = resolve(folder, 'compare-solvers.csv')
  const subtitle = `median and quartiles over ${seeds.length} seeds, ${queries} queries, q = 10, learning rate tuned per method`
  writeFileSync(
    figure,
    convergenceFigure(
      points,
      {
        title: 'Seven zeroth-order methods at equal queries',
        subtitle,
        yLabel: '↑ best value so far, as a share of the first gap',
      },
      drawingDocument(),
    ),
  )
  const header = 'problem,method,learningRate,queries,median,lowerQuartile,upperQuartile'
  const rows = lines.flatMap(({ arena, contender, rate, trial }) =>
    trial.curve.map((p) => [arena.title, contender.name, rate, p.queries, p.value, p.low, p.high].join(',')),
  )
  writeFileSync(numbers, `${[header, ...rows].join('\n')}\n`)
  return { figure, numbers }
}
