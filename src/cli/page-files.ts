import { dirname, resolve, sep } from 'node:path'
import { type RunData, runPage, writePageFiles } from '../report/index.ts'
import { readRun } from '../trace/index.ts'
import { isSeries, runsOf } from '../work/folders.ts'

/** Iterations of a run that a page is drawn from: more would not be seen, and a trace may have millions. */
const mostPoints = 4096

/** Reads all runs that are meant; where several things are named a run of a series is called after that, too. */
export async function readRuns(given: readonly string[]): Promise<RunData[]> {
  const runs: RunData[] = []
  for (const each of given) {
    for (const folder of await runsOf(each)) {
      const run = await readRun(folder, { points: mostPoints })
      const parts = resolve(folder).split(sep)
      const isMember = isSeries(dirname(folder)) && given.length > 1
      runs.push({ ...run, name: parts.slice(isMember ? -2 : -1).join('/') })
    }
  }
  return runs
}

/** Writes the page of some runs, and its figures beside it; returns the files, the page first. */
export async function writePage(runs: readonly RunData[], out: string, title: string): Promise<string[]> {
  return writePageFiles(out, 'report.html', runPage(runs, { title }))
}
