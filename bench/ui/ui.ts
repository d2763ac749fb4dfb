import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Column, textTable } from '../../src/app/report/table.ts'
import { machineLines } from '../machine.ts'
import { root } from '../root.ts'
import { type Cost, measureCost } from './cost.ts'
import { measureDelay } from './delay.ts'

/** What the command line asked for. */
interface UiBenchOptions {
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

/** Milliseconds from the answer to a query to the frame that shows it. */
interface Delay {
  readonly page: string
  readonly count: number
  readonly median: number
  readonly p95: number
  readonly most: number
}

const right = 'right'
const columns: readonly Column<Delay>[] = [
  { title: 'page', cell: ({ page }) => page },
  { title: 'changes seen', align: right, cell: ({ count }) => String(count) },
  { title: 'median, ms', align: right, cell: ({ median }) => median.toFixed(0) },
  { title: '95th percentile, ms', align: right, cell: ({ p95 }) => p95.toFixed(0) },
  { title: 'most, ms', align: right, cell: ({ most }) => most.toFixed(0) },
]

const costColumns: readonly Column<Cost & { readonly by: string }>[] = [
  { title: 'seconds of', cell: ({ by }) => by },
  { title: 'no client', align: right, cell: ({ alone }) => percent(alone) },
  { title: '100 clients', align: right, cell: ({ clients }) => percent(clients) },
  { title: 'spread without a page', align: right, cell: ({ spread }) => percent(spread) },
]

/**
 * How late the page is: from the moment a query is answered to the frame that counts it, in Chromium, for a run with --ui and
 * for one of another process. And how much longer a run takes while 100 clients listen to its page.
 */
export async function ui(options: UiBenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-bench-ui-'))
  try {
    const seconds = options.quick ? 5 : 20
    const delays = [
      delayOf('with --ui', await measureDelay(folder, seconds, true)),
      delayOf('zeroth ui, another process', await measureDelay(folder, seconds, false)),
    ]
    const cost = await measureCost(folder, options.quick ? 3 : 5)
    const slower = [
      `More time for a run with a page than for one without (medians of ${cost.clock.rounds} rounds):`,
      textTable(
        [
          { by: 'the clock', ...cost.clock },
          { by: "the run's own thread", ...cost.thread },
        ],
        costColumns,
      ),
    ].join('\n')
    const text = [textTable(delays, columns), slower, machineLines(options.command).join('\n')].join('\n\n')
    process.stdout.write(`${text}\n`)
    if (options.json) process.stdout.write(`${JSON.stringify({ delays, cost })}\n`)
    if (options.save) {
      const head = '# The page: how late it is, and what it costs\n'
      writeFileSync(join(root, 'bench/results/ui.md'), `${head}\n\`\`\`text\n${text}\n\`\`\`\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function delayOf(page: string, delays: readonly number[]): Delay {
  const sorted = [...delays].sort((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { page, count: sorted.length, median: at(0.5), p95: at(0.95), most: at(1) }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
