import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

// A process that takes a stored run to its end and is killed on the way: node stored-run.mjs <folder> <kind> <count file>.
// Of the kind "hold" it only opens the run when told to, says whether it could, and keeps it until its input ends.

/** @param {string} entry */
const published = (entry) => import(new URL(`../../dist/${entry}`, import.meta.url).href)
/** @type {typeof import('../../src/index.ts')} */
const { zoAdaMM } = await published('index.js')
/** @type {typeof import('../../src/app/store/index.ts')} */
const { createRun, driveRun, openRun } = await published('app/store/index.js')

const [folder, kind, countFile] = /** @type {[string, string, string]} */ (process.argv.slice(2))
const start = [1, -2, 0.5, 3]

/** @param {ArrayLike<number>} x */
const bowl = (x) => Array.from(x).reduce((sum, each, i) => sum + (i + 1) * each * each, 0)

/** @type {import('../../src/index.ts').Objective} */
const objective = {
  dim: start.length,
  evaluate(queries, into) {
    const x = new Float64Array(queries.dim)
    /** @param {number} row */
    const answer = (row) => {
      appendFileSync(countFile, '.')
      queries.write(row, x)
      // Some fail, depending on where they are alone, so that they fail again in every other process.
      if (kind === 'failing' && (queries.key.iteration * 31 + row * 17) % 9 === 0) throw new Error('no answer')
      into.values[row] = bowl(x)
    }
    /** @param {number} row */
    const settle = (row) => {
      try {
        answer(row)
      } catch (error) {
        into.failed[row] = 1
        into.reasons[row] = error
      }
    }
    if (kind !== 'asynchronous') {
      for (let row = 0; row < queries.rows; row++) settle(row)
      return undefined
    }
    return (async () => {
      for (let row = 0; row < queries.rows; row++) {
        await sleep(0)
        settle(row)
      }
    })()
  },
}

// Fifty times as fast as real time, so that checkpoints are due every 40 ms.
const options = { clock: () => performance.now() * 50 }

async function open() {
  try {
    return await openRun(folder, options)
  } catch (error) {
    if (!/is not a run/.test(String(error))) throw error
    return createRun(folder, { id: 'killed', created: '2026-01-01T00:00:00Z', zeroth: '0.1.0', spec: {} }, options)
  }
}

if (kind === 'hold') {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  console.log('ready')
  await lines.next()
  const store = await openRun(folder).catch((error) => error)
  console.log(store instanceof Error ? `lost: ${store.message}` : `won: ${process.pid}`)
  await lines.next()
  await store.close?.()
} else {
  const store = await open()
  const solver = zoAdaMM({ directions: 4, learningRate: { value: 0.05, decay: 'sqrt' } })
  const result = await driveRun(store, objective, start, { solver, seed: 5, maxQueries: 4000, failures: 'skip' })
  await store.close()
  console.log(JSON.stringify({ hash: result.hash, queries: result.queries, iterations: result.iterations }))
}
