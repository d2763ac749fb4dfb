import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { openEvaluation, openRepeats, openRun } from 'zeroth/jobs'

// Jobs that are begun, or continued, in a folder and taken to their end. As a program,
// node recorded-jobs.mjs <kind> <folder> <address of a model>, it is recorded by test/run-store/system-calls.ts.

/** Milliseconds that each query takes, so that there is time for checkpoints. */
const pause = Number(process.env.PAUSE ?? 0)
const cell = new Int32Array(new SharedArrayBuffer(4))

/** The objective of runs and series. @param {readonly number[]} x */
export default function bowl(x) {
  if (pause > 0) Atomics.wait(cell, 0, 0, pause)
  return x.reduce((sum, each, i) => sum + (i + 1) * each * each, 0)
}

const solver = { name: 'zo-adamm', directions: 4, learningRate: { value: 0.05, decay: 'sqrt' } }
const module = { name: 'module', module: fileURLToPath(import.meta.url) }
const problem = { objective: module, dim: 3, start: 1, solver, seed: 5, maxQueries: 100 }

/** @param {string} model */
const attack = (model) => ({
  model,
  permitted: true,
  rate: 10_000,
  images: 'digits',
  count: 2,
  solver: { name: 'zo-adamm', directions: 10, learningRate: { value: 0.05, decay: 'sqrt' } },
  problem: 'constrained',
  linf: 0.2,
  maxQueries: 111,
  secondMethod: false,
  parallel: 2,
})

/** @type {Readonly<Record<string, (folder: string, model: string) => Promise<import('zeroth/jobs').AnyJob>>>} */
export const jobs = {
  run: (folder) => openRun(folder, problem),
  series: (folder) => openRepeats(folder, { ...problem, maxQueries: 60 }, { seeds: [1, 2] }),
  attack: (folder, model) => openEvaluation(folder, attack(model)),
  'attack within two limits': (folder, model) =>
    openEvaluation(folder, { ...attack(model), linf: [0.05, 0.2], maxQueries: 56 }),
  'attack with one perturbation for all': (folder, model) =>
    openEvaluation(folder, { ...attack(model), universal: true }),
}

/**
 * Begins a job, or goes on with it, and takes it to its end.
 * @param {string} kind
 * @param {string} folder
 * @param {string} model
 */
export async function perform(kind, folder, model) {
  const open = jobs[kind]
  if (open === undefined) throw new Error(`there is no job called ${kind}`)
  const job = await open(folder, model)
  for await (const _ of job.perform());
  await job.close()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [kind = '', folder = '', model = ''] = process.argv.slice(2)
  // Not awaited: the objective is in this module, which could not be imported before its end.
  void perform(kind, folder, model)
}
