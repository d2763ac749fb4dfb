import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePageFiles } from '../../src/app/report/attack/write-pages.ts'
import { machineLines } from '../machine.ts'
import { root } from '../root.ts'
import { attacksMarkdown } from './markdown.ts'
import { attacksPage } from './page.ts'
import type { Row } from './rows.ts'
import { summarize } from './summary.ts'
import { cellText, goalsText, reading } from './text.ts'
import { verdicts } from './verdicts.ts'

const results = join(root, 'bench/results')

/** What is printed and written. */
interface ReportOptions {
  /** The method that goals are stated for. */
  readonly method: string
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

/** Prints what the rows say, and writes it where that is wanted. */
export async function reportAttacks(rows: readonly Row[], options: ReportOptions): Promise<void> {
  const { method } = options
  const summaries = summarize(rows)
  const list = verdicts(method, rows)
  const text = [...summaries.map(cellText), reading, goalsText(method, list)].join('\n\n')
  process.stdout.write(`${text}\n`)
  const summary = JSON.stringify({ cells: summaries, goals: list })
  if (options.save) {
    const findings = { rows, summaries, method, verdicts: list, machine: machineLines(options.command) }
    const files = await writePageFiles(join(results, 'attacks'), 'index.html', attacksPage(findings))
    writeFileSync(join(results, 'attacks.md'), attacksMarkdown(findings))
    writeFileSync(join(results, 'attacks.json'), `${summary}\n`)
    process.stdout.write(`\nwritten: attacks.md, attacks.json and attacks/ (${files.length} files) in bench/results\n`)
  }
  if (options.json) process.stdout.write(`${summary}\n`)
}
