// Runs every kind of objective until a callback stops it, which it does once a timer has fired, and prints how each ended:
// node stopped-by-callback.mjs <folder> <url of a service>.

/** @param {string} entry */
const published = (entry) => import(new URL(`../../dist/${entry}`, import.meta.url).href)
/** @type {typeof import('../../src/index.ts')} */
const { createSession, drive, functionObjective, minimize, zoAdaMM } = await published('index.js')
/** @type {typeof import('../../src/app/store/index.ts')} */
const { createRun, driveRun } = await published('app/store/index.js')
/** @type {typeof import('../../src/app/objectives/index.ts')} */
const { httpObjective } = await published('app/objectives/index.js')

const [folder, url] = /** @type {[string, string]} */ (process.argv.slice(2))
const start = [1, 2]
// The default would converge before the timer has fired.
const solver = zoAdaMM()

/** @param {number} pause */
const bowl = (pause) => (/** @type {ArrayLike<number>} */ x) => {
  const until = performance.now() + pause
  while (performance.now() < until);
  return Array.from(x).reduce((sum, each) => sum + each * each, 0)
}
const quick = bowl(1)
const slow = bowl(60)
/** @param {ArrayLike<number>} x */
const promised = async (x) => quick(x)
/** @param {readonly Float64Array[]} points */
const all = (points) => points.map(quick)

/** @typedef {{ onIteration: () => unknown }} Watch */
/** @type {Record<string, (watch: Watch) => Promise<string | undefined>>} */
const kinds = {
  plain: async (watch) => (await minimize(quick, start, { ...watch, solver })).stopReason,
  slow: async (watch) => (await minimize(slow, start, { ...watch, solver })).stopReason,
  async: async (watch) => (await minimize(promised, start, { ...watch, solver })).stopReason,
  batched: async (watch) => (await minimize(all, start, { ...watch, solver, batched: true })).stopReason,
  promised: async (watch) =>
    (await minimize(async (points) => all(points), start, { ...watch, solver, batched: true })).stopReason,
  drive: async ({ onIteration }) => {
    const session = createSession(start, { solver })
    for await (const _ of drive(session, functionObjective(promised, { dim: 2 }))) {
      if (onIteration() === 'stop') session.stop('callback')
    }
    return session.outcome?.stopReason
  },
  stored: async (watch) => {
    const store = await createRun(folder, {
      id: 'called-back',
      created: '2026-01-01T00:00:00Z',
      zeroth: '0.1.0',
      spec: {},
    })
    const result = await driveRun(store, functionObjective(promised, { dim: 2 }), start, { solver }, watch)
    await store.close()
    return result.stopReason
  },
  remote: async (watch) => {
    const service = httpObjective({ dim: 2, url })
    const { stopReason } = await minimize(service, start, { ...watch, solver })
    await service.close()
    return stopReason
  },
}

const ended = []
for (const [kind, run] of Object.entries(kinds)) {
  let fired = Number.POSITIVE_INFINITY
  setTimeout(() => {
    fired = performance.now()
  }, 150)
  const onIteration = () => (fired < Number.POSITIVE_INFINITY ? 'stop' : undefined)
  const stopReason = await run({ onIteration })
  ended.push({ kind, stopReason, took: performance.now() - fired })
}
console.log(JSON.stringify(ended))
