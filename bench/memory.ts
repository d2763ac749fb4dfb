import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { openEngine, overwriteRow } from './engine.ts'

const run = promisify(execFile)

/** The dimension whose memory is that of Node, the library and its code alone. */
const baseDim = 1000

/** The name of the command by which this program starts itself for one measurement. */
export const memoryCommand = 'memory-of'

/** Peak memory per dimension, in bytes, of a float32 run that keeps no rows: each dimension in a process of its own. */
export async function peakBytesPerDimension(dim: number): Promise<number> {
  const [own, base] = [await peakOf(dim), await peakOf(baseDim)]
  return (own - base) / (dim - baseDim)
}

/** Runs a few iterations and prints the most memory this process ever had, in bytes. */
export function printPeak(dim: number): void {
  const { driving } = openEngine(dim, 1, overwriteRow)
  for (let i = 0; i < 3; i++) driving.turn()
  process.stdout.write(`${peakOfThisProcess()}\n`)
}

/** The most memory this process ever had, in bytes. Linux lets a process inherit the peak of the one that started it in `maxRSS`, but not in this file. */
export function peakOfThisProcess(): number {
  const { maxRSS } = process.resourceUsage()
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return 1024 * Number(kilobytes ?? maxRSS)
  } catch {
    return 1024 * maxRSS
  }
}

async function peakOf(dim: number): Promise<number> {
  const { stdout } = await run(process.execPath, [process.argv[1] as string, memoryCommand, String(dim)])
  return Number(stdout)
}
