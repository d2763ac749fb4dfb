import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { moreWild } from './more-wild.ts'
import { openOracle } from './oracle.ts'
import { openProgram } from './peer-solvers.ts'
import type { Problem } from './problem.ts'

const task = { problem: moreWild()[6] as Problem, budget: 20, seed: 1, timeLimit: 20_000 }
const program = { command: process.execPath, args: [fileURLToPath(new URL('test-peer.mjs', import.meta.url))] }

async function withPeer(name: string) {
  const { solvers, missing } = await openProgram(program)
  const solver = solvers.find((each) => each.name === name)
  if (solver === undefined) throw new Error(`no ${name}`)
  return { solver, missing }
}

describe('a peer in a process of its own', () => {
  it('asks the oracle bit for bit and reports its point', async () => {
    const { solver, missing } = await withPeer('walker')
    const oracle = openOracle(task.problem, 1, task.budget)
    const ending = await solver.run(task, oracle)
    solver.close()
    expect(missing).toEqual(['absent: nowhere is not installed'])
    expect(oracle.account().queries).toBe(3)
    // It answers with the values it was given: 24.2 at the start, then 1/3 of the start twice.
    const third = task.problem.value(task.problem.start.map((v) => v / 3))
    expect(ending).toEqual({ own: 7, note: `24.199999999999996 ${third} ${third}`, point: [1, 1] })
  })

  it('that ends in the middle of a run fails that run, and works in the next', async () => {
    const { solver } = await withPeer('crasher')
    await expect(solver.run(task, openOracle(task.problem, 1, 20))).rejects.toThrow(/the process ended.*crashed/)
    await expect(solver.run(task, openOracle(task.problem, 1, 20))).rejects.toThrow(/crashed/)
    solver.close()
  })

  it('that goes on for too long is stopped', async () => {
    const { solver } = await withPeer('endless')
    const ending = await solver.run({ ...task, timeLimit: 50 }, openOracle(task.problem, 1, 1e9))
    solver.close()
    expect(ending).toEqual({ note: 'max-time' })
  })

  it('that cannot be started is missing', async () => {
    const { solvers, missing } = await openProgram({ command: 'no-such-program', args: [] })
    expect(solvers).toEqual([])
    expect(missing[0]).toContain('ENOENT')
  })
})
