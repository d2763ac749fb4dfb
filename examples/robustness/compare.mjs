// npm start: the default attack, ZO-AdaMM and its peers attack the embedded digits, at equal queries; those that have a
// learning rate at a tuned one. Interrupted, it continues where it was. Every option has its default here; npx zeroth attack
// does the same to your own model.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { openEvaluation, readEvaluation } from 'zeroth/jobs'
import { shortNumber, textTable, writeEvaluationPage } from 'zeroth/report'

const option = (value) => ({ type: 'string', default: value })
const defaults = { model: 'digits', count: '10', 'max-queries': '11001', seed: '1', out: 'zeroth-output' }
const usage = `npm start [-- ${Object.entries(defaults).map(([name, value]) => `--${name} ${value}`)}]`.replaceAll(
  ',',
  ' ',
)

const peers = {
  unconstrained: ['zo-scd', 'zo-sgd', 'zo-sign-sgd', 'zo-adamm', 'strongest'],
  constrained: ['zo-nes', 'zo-psgd', 'zo-smd', 'zo-adamm', 'strongest'],
}

function plan(args) {
  const options = Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, option(value)]))
  const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean' } } })
  const { model, count, 'max-queries': maxQueries, seed, out, help } = values
  // Each method is compared alone.
  const shared = {
    model,
    secondMethod: false,
    count: Number(count),
    maxQueries: Number(maxQueries),
    seed: Number(seed),
  }
  const evaluations = Object.entries(peers).flatMap(([problem, solvers]) =>
    solvers.map((solver) => ({ folder: join(out, `${problem}-${solver}`), spec: { ...shared, problem, solver } })),
  )
  return { help, out, model, evaluations }
}

/** Performs every `width`-th evaluation, in a thread of its own. */
async function perform(evaluations, { first, width }) {
  for (const { folder, spec } of evaluations.filter((_, i) => i % width === first)) {
    const evaluation = await openEvaluation(folder, spec)
    for await (const event of evaluation.perform()) if (event.type === 'warning') console.error(event.message)
    const { fooled, attacked } = evaluation.result().summary
    console.error(`${folder}: fooled on ${fooled} of ${attacked} images`)
  }
}

async function main({ help, out, model, evaluations }) {
  if (help) return console.log(usage)
  const width = Math.min(availableParallelism(), evaluations.length)
  const threads = Array.from({ length: width }, (_, first) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { first, width }, argv: process.argv.slice(2) })
    return new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject))
  })
  await Promise.all(threads)
  const folders = evaluations.map(({ folder }) => folder)
  console.log(`\n${table(folders.map(readEvaluation))}`)
  const title = `Seven zeroth-order attacks and the default one on the embedded ${model} classifier`
  console.log(`\nReport: ${(await writeEvaluationPage(folders, { out, title }))[0]}`)
}

function table(evaluations) {
  const number = (title, of) => ({ title, align: 'right', cell: ({ report }) => of(report.summary) })
  return textTable(evaluations, [
    { title: 'problem', cell: ({ record }) => record.spec.problem.name },
    { title: 'method', cell: ({ record }) => nameOf(record.spec.solver) },
    { title: 'rate', align: 'right', cell: ({ record }) => rateOf(record.spec.solver) },
    number('success', ({ attackSuccessRate }) => `${Math.round(100 * attackSuccessRate)} %`),
    number('queries to 1st', ({ firstSuccessQueries }) => shortNumber(firstSuccessQueries.mean)),
    number('l2^2 at 1st', ({ firstSuccessL2sq }) => shortNumber(firstSuccessL2sq.mean)),
    number('best', ({ bestL2sq }) => shortNumber(bestL2sq.mean)),
    number('final', ({ finalL2sq }) => shortNumber(finalL2sq.mean)),
    number('kept', ({ kept }) => `${Math.round(100 * kept)} %`),
  ])
}

function nameOf({ name }) {
  return name === 'strongest' ? 'strongest (default)' : name
}

/** The default has no learning rate. */
function rateOf({ learningRate }) {
  return learningRate === undefined ? '-' : shortNumber(learningRate.value)
}

try {
  const planned = plan(process.argv.slice(2))
  await (isMainThread ? main(planned) : perform(planned.evaluations, workerData))
} catch (error) {
  if (!isMainThread) throw error
  console.error(`${error.message}\n${usage}`)
  process.exitCode = 2
}
