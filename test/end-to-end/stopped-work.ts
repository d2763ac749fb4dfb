import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, type Ended, start } from './zeroth.ts'

/** Milliseconds that no stop may take, however busy the machine: one that waited for a black box that hangs would never end. */
export const longestStop = 60_000

/** How work that was stopped ended, and how long that took in milliseconds. */
export interface Stopped extends Ended {
  readonly took: number
}

/** Starts a run, waits until it has recorded some answers, and does something then. */
export async function stopped(
  args: readonly string[],
  out: string,
  call: Call,
  act: (kill: (name: NodeJS.Signals) => void, stderr: () => string) => unknown,
  leastBytes?: number,
): Promise<Stopped> {
  const { child, stderr, ended } = start([...args, '--out', out, '--json'], call)
  await atWork(join(call.cwd, out), leastBytes)
  const began = performance.now()
  await act((name) => void child.kill(name), stderr)
  const result = await ended
  return { ...result, took: performance.now() - began }
}

/** Waits until a run has recorded answers, and for 300 ms no more or at least a few. */
export async function atWork(run: string, leastBytes = 500): Promise<void> {
  const journal = join(run, 'journal')
  while (!existsSync(journal) || statSync(journal).size < leastBytes) await sleep(20)
  await sleep(300)
}

/**
 * Writes black boxes with the same values into a folder, and a spec for each module that calls it in the thread of the run.
 * Each call keeps its thread for PAUSE milliseconds; after ANSWERS answers, `silent.mjs` and `program.mjs` give no more.
 */
export function writeBlackBoxes(folder: string): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write(
    'bowl.mjs',
    `const { PAUSE = 0, ANSWERS = Infinity } = process.env
     let answers = 0
     export const isSilent = () => answers++ >= Number(ANSWERS)
     export const bowl = (x) => {
       const until = performance.now() + Number(PAUSE)
       while (performance.now() < until);
       return x.reduce((sum, each) => sum + each * each, 0)
     }`,
  )
  write('plain.mjs', "export { bowl as default } from './bowl.mjs'")
  write('async.mjs', "import { bowl } from './bowl.mjs'\nexport default async (x) => bowl(x)")
  write(
    'silent.mjs',
    "import { bowl, isSilent } from './bowl.mjs'\nexport default (x) => (isSilent() ? new Promise(() => 0) : bowl(x))",
  )
  write(
    'batch.mjs',
    `import { bowl } from './bowl.mjs'
     export const plain = (points) => points.map(bowl)
     export const promised = async (points) => points.map(bowl)`,
  )
  write(
    'program.mjs',
    `import { createInterface } from 'node:readline'
     import { bowl, isSilent } from './bowl.mjs'
     for await (const line of createInterface({ input: process.stdin })) {
       const { id, x } = JSON.parse(line)
       if (!isSilent()) console.log(JSON.stringify({ id, value: bowl(x) }))
     }`,
  )
  const spec = (name: string, module: string, more = {}): void =>
    write(`${name}.json`, JSON.stringify({ objective: { name: 'module', module, ...more } }))
  for (const name of ['plain', 'async', 'silent']) spec(name, `${name}.mjs`)
  spec('batch', 'batch.mjs', { export: 'plain', batched: true, batchSize: 4 })
  spec('promised', 'batch.mjs', { export: 'promised', batched: true, batchSize: 4 })
}
