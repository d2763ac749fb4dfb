import { html, type Markup, type Piece } from '../markup.ts'
import { countText, durationText, exactNumber, readableNumber, shown } from '../number-text.ts'
import { factTable } from '../page/table.ts'
import { tiles } from '../page/tiles.ts'
import { bestValue, iterationsOf, queriesOf, type RunData, secondsOf, seedOf } from './run-data.ts'
import { stopText } from './status.ts'

const listedEntries = 60

/** The result of one run in a few numbers: what it found, what it cost, and why it stopped. */
export function runResult(run: RunData): Markup {
  return html`<section aria-labelledby="result"><h2 id="result">Result</h2>
${headline(run)}</section>\n`
}

/** The point a run found, and its whole account. */
export function runDetails(run: RunData): Markup {
  return html`<section aria-labelledby="details"><h2 id="details">Point and account</h2>
<div class="pair">
${pointPart(run)}
${account(run)}
</div></section>\n`
}

function headline(run: RunData): Markup {
  const seconds = secondsOf(run)
  const queries = queriesOf(run)
  const value = bestValue(run)
  const rate = seconds > 0 ? `${rateText(queries / seconds)} a second` : undefined
  return tiles([
    { name: 'Best value', value: shown.value(value), note: exactly(value) },
    { name: 'Queries', value: shown.count(queries), note: rate },
    { name: 'Iterations', value: shown.count(iterationsOf(run)) },
    { name: 'Time', value: shown.duration(seconds) },
    {
      name: 'Stopped',
      value: html`<span class="words">${stopText(run)}</span>`,
      note: run.result?.stopReason ?? run.status,
    },
  ])
}

function rateText(rate: number): string {
  return rate < 100 ? String(Number(rate.toPrecision(3))) : countText(Math.round(rate))
}

/** A best value with all its digits, where it has more than the large figure shows. */
function exactly(value: number): string | undefined {
  return Number.isNaN(value) || exactNumber(value) === readableNumber(value) ? undefined : exactNumber(value)
}

function pointPart({ result }: RunData): Markup {
  if (result === undefined || result.point.length === 0) {
    return html`<div><h3>Best point</h3><p>It is known when the run has ended.</p></div>`
  }
  const { point } = result
  const { low, high, norm } = spread(point)
  return html`<div><h3>Best point</h3>
<p>${variables(point.length)} between ${shown.value(low)} and ${shown.value(high)}; length ${shown.value(norm)}.</p>
<p class="entries">${pointText(point, listedEntries)}</p></div>`
}

/** The first entries of a point, with dots where there are more. */
export function pointText(point: ArrayLike<number>, entries: number, text = readableNumber): string {
  const first = Array.from({ length: Math.min(entries, point.length) }, (_, i) => text(point[i] as number))
  return point.length > entries ? `${first.join(', ')}, …` : first.join(', ')
}

function account(run: RunData): Markup {
  const { result } = run
  const seed = seedOf(run)
  const facts: (readonly [Piece, Piece])[] = [['seed', seed === undefined ? 'unknown' : String(seed)]]
  if (result !== undefined) {
    facts.push(
      ['value at the last point', shown.value(result.last.value)],
      ['answers from the cache', shown.count(result.cacheHits)],
      ['retries', shown.count(result.retries)],
      ['failed queries', shown.count(result.failures.count)],
      ['iterations without a step', shown.count(result.skippedIterations)],
      ['time per query', result.queries > 0 ? durationText(result.seconds / result.queries) : 'none'],
      ['hash of the points', html`<code class="hash">${result.hash}</code>`],
    )
  }
  return html`<div>${factTable('Account', facts)}</div>`
}

function variables(count: number): string {
  return count === 1 ? '1 variable' : `${countText(count)} variables`
}

function spread(point: ArrayLike<number>): { low: number; high: number; norm: number } {
  let low = Infinity
  let high = -Infinity
  let squares = 0
  for (let i = 0; i < point.length; i++) {
    const entry = point[i] as number
    low = Math.min(low, entry)
    high = Math.max(high, entry)
    squares += entry * entry
  }
  return { low, high, norm: Math.sqrt(squares) }
}
