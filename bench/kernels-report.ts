import { type Column, textTable } from '../src/app/report/table.ts'
import { settings } from './contender.ts'
import { markdownTable } from './markdown-table.ts'
import { median, ratio, type Timing } from './race.ts'

/** All timings of one dimension, zeroth's own first. */
export interface Measured {
  readonly dim: number
  readonly timings: readonly Timing[]
}

/** Peak memory of a run that keeps no rows, per dimension. */
export interface PeakMemory {
  readonly dim: number
  readonly bytes: number
}

/** How many times as fast zeroth is as NumPy and PyTorch, and how many times as long as C it takes; null if missing. */
export interface Ratios {
  readonly numpy: number | null
  readonly torch: number | null
  readonly c128: number | null
  readonly native: number | null
}

/** The ratios that count, by dimension. */
export function ratios(measured: readonly Measured[]): Record<string, Ratios> {
  return Object.fromEntries(
    measured.map(({ dim, timings }) => {
      const find = (name: string): Timing | undefined => timings.find((each) => each.name === name)
      const between = (above: string, below: string): number | null => {
        const [a, b] = [find(above), find(below)]
        return a === undefined || b === undefined ? null : Number(ratio(a, b).toFixed(3))
      }
      return [
        dim,
        {
          numpy: between('numpy', 'zeroth'),
          torch: between('torch', 'zeroth'),
          c128: between('zeroth', 'c128'),
          native: between('zeroth', 'native'),
        },
      ]
    }),
  )
}

/** The results as text for a terminal. */
export function kernelsText(measured: readonly Measured[], memory: PeakMemory | null): string {
  const tables = measured.map(({ dim, timings }) => `d = ${dim}\n${textTable(timings, columns(timings))}`)
  return [...tables, ...summary(measured, memory)].join('\n\n')
}

/** The results as a page that can be committed. */
export function kernelsPage(
  measured: readonly Measured[],
  memory: PeakMemory | null,
  machine: readonly string[],
): string {
  const tables = measured.map(({ dim, timings }) => `## d = ${dim}\n\n${markdownTable(timings, columns(timings))}`)
  const intro = `Milliseconds per iteration of ZO-AdaMM without its objective, q = ${settings.directions}, contenders by turns; the
last column is the median over rounds of their time over that of zeroth (one thread, float32, rows kept). Read
[docs/benchmarks.md](../../docs/benchmarks.md) for what is compared and how.`
  const parts = ['# Kernels', intro, machine.join('\n'), ...tables, ...summary(measured, memory)]
  return `${parts.join('\n\n')}\n`
}

function columns(timings: readonly Timing[]): Column<Timing>[] {
  const own = timings.find(({ name }) => name === 'zeroth')
  return [
    { title: 'contender', cell: ({ name }) => name },
    { title: 'what it is', cell: ({ title, variant }) => `${title}, ${variant}` },
    { title: 'median ms', align: 'right', cell: ({ times }) => median(times).toPrecision(4) },
    { title: 'best ms', align: 'right', cell: ({ times }) => Math.min(...times).toPrecision(4) },
    { title: 'over zeroth', align: 'right', cell: (each) => (own === undefined ? '' : ratio(each, own).toFixed(2)) },
  ]
}

function summary(measured: readonly Measured[], memory: PeakMemory | null): string[] {
  const costs = measured.flatMap(({ dim, timings }) => {
    const own = timings.find(({ name }) => name === 'zeroth')
    return own === undefined ? [] : [{ dim, cost: (median(own.times) * 1e6) / (dim * settings.directions) }]
  })
  const each = costs.map(({ dim, cost }) => `${cost.toFixed(2)} at d = ${dim}`).join(', ')
  const spread = Math.max(...costs.map(({ cost }) => cost)) / Math.min(...costs.map(({ cost }) => cost))
  const cost = `Nanoseconds per coordinate and direction: ${each}; the largest is ${spread.toFixed(2)} times the smallest.`
  if (memory === null) return [cost]
  const bytes = `${memory.bytes.toFixed(1)} bytes per dimension`
  return [cost, `Peak memory of a float32 run that keeps no rows, at d = ${memory.dim}: ${bytes}.`]
}
