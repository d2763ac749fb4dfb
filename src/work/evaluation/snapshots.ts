import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AttackProgress } from '../../attacks/index.ts'
import { readRun, writeWholeFile } from '../../trace/index.ts'
import { layout } from './attack-layout.ts'

/** Keeps a universal perturbation as it is at some iterations. An attack that is taken up goes through all of them again. */
export function keepSnapshot(
  folder: string,
  { iteration, variables }: AttackProgress,
  wanted: readonly number[] = [],
): void {
  if (variables !== undefined && wanted.includes(iteration)) write(folder, iteration, variables)
}

/** The same for the last point, which is known when all is over. */
export async function keepLastSnapshot(folder: string, iteration: number): Promise<void> {
  if (existsSync(fileOf(folder, iteration))) return
  const { result } = await readRun(join(folder, layout.universal))
  if (result !== undefined && result.iterations === iteration) write(folder, iteration, result.last.point)
}

/** A perturbation that was kept; undefined where there is none. */
export function readSnapshot(folder: string, iteration: number): Float32Array | undefined {
  const file = fileOf(folder, iteration)
  if (!existsSync(file)) return undefined
  const bytes = readFileSync(file)
  const values = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from({ length: bytes.byteLength >> 2 }, (_, i) => values.getFloat32(4 * i, true))
}

function write(folder: string, iteration: number, values: ArrayLike<number>): void {
  const bytes = new DataView(new ArrayBuffer(4 * values.length))
  for (let i = 0; i < values.length; i++) bytes.setFloat32(4 * i, values[i] as number, true)
  writeWholeFile(fileOf(folder, iteration), new Uint8Array(bytes.buffer))
}

function fileOf(folder: string, iteration: number): string {
  return join(folder, layout.universal, `perturbation-${iteration}.f32`)
}
