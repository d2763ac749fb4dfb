import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { createAttack, readAttack } from '../../src/app/jobs/evaluation/attack-record.ts'
import { performAttack } from '../../src/app/jobs/evaluation/perform-attack.ts'
import { readEvaluation } from '../../src/app/jobs/evaluation/status.ts'
import { ZerothError } from '../../src/optimizer/core/errors.ts'
import { attackRecord } from '../attacks/attack-record.ts'
import { threshold } from '../attacks/fake-model.ts'
import { memoryDataset } from '../attacks/memory-dataset.ts'

const images = [
  { pixels: [0.51, 0.52], label: 1 },
  { pixels: [0.1, 0.1], label: 0 },
  { pixels: [0.9, 0.9], label: 0 },
]

const settings = {
  maxQueries: 45,
  problem: { name: 'constrained', linf: 0.1 },
  solver: { name: 'zo-adamm', learningRate: { value: 0.1, decay: 'sqrt' }, directions: 10 },
  secondMethod: false,
  parallel: 1,
}

/** Performs the evaluation in a folder, which is new or there; returns what was said. */
export async function evaluated(folder: string, changes: object = {}): Promise<string[]> {
  const name = basename(folder)
  if (!readdirSync(join(folder, '..')).includes(name)) {
    const record = attackRecord({ ...settings, ...changes })
    const own = { ...record, model: { ...record.model, shape: { channels: 1, height: 1, width: 2 } } }
    await createAttack(folder, own)
  }
  const said: string[] = []
  const open = async () => ({
    model: threshold([1, 1], 1),
    dataset: memoryDataset(images),
    retries: () => 0,
    onOutage: () => undefined,
  })
  const signal = new AbortController().signal
  const emit = (_: string, event: { type: string; message?: string }): void => {
    if (event.type === 'warning') said.push(event.message ?? '')
  }
  await performAttack({ folder, record: readAttack(folder), open }, { job: name, emit, signal })
  return said
}

/** The files of a folder, with their bytes. */
export function bytesIn(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort()
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]))
}

/** What is made from other files, and read by nothing that judges: the runs of images that are done, too. */
const unread = /^(images\/\d+|universal)\/(meta\.json|journal|trace\.jsonl|result\.json)$|^(spec\.json|.*\.csv)$/

/**
 * Changes one byte of a sound evaluation. Whoever reads it then is told what it was before or which file is damaged; and
 * performing it again makes all that it says the same bytes once more, and says what was damaged. What the attack is
 * cannot be made again: it is refused.
 */
export async function flip(
  sound: string,
  file: string,
  at: number,
  bit: number,
): Promise<'refused' | 'mended' | 'harmless'> {
  const folder = `${sound}-flipped`
  rmSync(folder, { recursive: true, force: true })
  cpSync(sound, folder, { recursive: true })
  const [before, known] = [bytesIn(sound), shown(sound)]
  const bytes = Buffer.from(before.get(file) as Buffer)
  bytes[at] = (bytes[at] as number) ^ (1 << bit)
  writeFileSync(join(folder, file), bytes)
  const where = `${file}, byte ${at}, bit ${bit}`
  const seen = shown(folder)
  if (seen !== known) expect(seen, where).toMatch(new RegExp(`^refused: [^\n]*${basename(file)}`))
  const said = await evaluated(folder).catch(refusal)
  if (file === 'attack.json') {
    expect(said, where).toMatch(/^refused: [^\n]*attack\.json/)
    return 'refused'
  }
  if (unread.test(file)) expect(said, where).toEqual([])
  else expect(String(said), where).toContain(file)
  for (const [path, own] of before) {
    if (/^(time|lost-queries)\.json$/.test(path) || (path === file && unread.test(path) && path.includes('/'))) continue
    // What a run keeps for people has times in it.
    if (/(trace\.jsonl|result\.json)$/.test(path)) continue
    expect(readFileSync(join(folder, path)).equals(own), `${where}: ${path}`).toBe(true)
  }
  return unread.test(file) ? 'harmless' : 'mended'
}

function shown(folder: string): string {
  try {
    const { seconds: _, folder: __, ...said } = readEvaluation(folder)
    return JSON.stringify(said)
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): string {
  if (error instanceof ZerothError && error.code === 'invalid-run') return `refused: ${error.message}`
  throw error
}
