import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ZerothError } from '../index.ts'
import { type RunData, runPage } from '../report/index.ts'
import { listRuns, type RunRecord, readRun } from '../trace/index.ts'

/** Reads runs; a folder that is none itself stands for the runs inside it. */
export async function readRuns(
  folders: readonly string[],
): Promise<(RunData & { readonly meta: RunRecord['meta'] })[]> {
  const runs = []
  for (const folder of folders) {
    const inside = await listRuns(folder)
    const places = inside.length > 0 ? inside.map((run) => run.folder) : [folder]
    for (const place of places) {
      const { meta, status, result, trace } = await readRun(place)
      const name = inside.length > 0 ? join(basename(folder), basename(place)) : basename(place)
      runs.push({ name, meta, status, result, trace })
    }
  }
  return runs as unknown as (RunData & { readonly meta: RunRecord['meta'] })[]
}

/** Writes the page of some runs, and its figures beside it; returns the files, the page first. */
export async function writePage(folders: readonly string[], out: string, title?: string): Promise<string[]> {
  const runs = await readRuns(folders)
  const { html, figures } = runPage(runs, { title: title ?? folders.map((each) => basename(each)).join(', ') })
  try {
    await mkdir(out, { recursive: true })
    const files = [join(out, 'report.html'), ...Object.keys(figures).map((name) => join(out, `${name}.svg`))]
    const texts = [html, ...Object.values(figures)]
    await Promise.all(files.map((file, i) => writeFile(file, texts[i] as string)))
    return files
  } catch (cause) {
    throw new ZerothError('invalid-data', `cannot write the page: ${(cause as Error).message}`, { cause })
  }
}
