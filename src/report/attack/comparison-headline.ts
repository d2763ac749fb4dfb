import type { ImageRecord } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { type Tile, tiles } from '../page/tiles.ts'
import { type AttackRun, attackedImages } from './attack-run.ts'
import { dashed } from './dashed.ts'

/** What all methods together say of the model: it is robust where none of them fooled it. */
export function comparisonHeadline(runs: readonly AttackRun[]): Markup {
  const same = new Set(runs.map(imagesKey)).size === 1
  const calls = runs.reduce((sum, { report }) => sum + report.summary.modelCalls, 0)
  const differ = same
    ? undefined
    : html`<p class="notice">Not all methods attacked the same images: compare them with care.</p>\n`
  return html`<section aria-labelledby="result"><h2 id="result">Result</h2>
${tiles([
  ...(same ? together(runs) : []),
  strongest(runs),
  { name: 'Model calls', value: dashed.effort(calls), note: 'of all methods' },
])}
${differ}</section>\n`
}

/** What must be the same for rates to be held against each other. */
function imagesKey(run: AttackRun): string {
  const { looked, cleanAccuracy } = run.report.summary
  return JSON.stringify([looked, cleanAccuracy, attackedImages(run).map(({ index }) => index)])
}

function together(runs: readonly AttackRun[]): Tile[] {
  const summary = runs[0]?.report.summary
  if (summary === undefined) return []
  const { looked, cleanAccuracy } = summary
  const withstood = robustImages(runs)
  const correct = Math.round(cleanAccuracy * looked)
  const of = looked === 0 ? 'no image could be compared with its label' : `of ${countText(looked)} images`
  const count = (number: number): string => (looked === 0 ? of : `${countText(number)} ${of}`)
  return [
    {
      name: 'Robust accuracy',
      value: dashed.percent(withstood / looked),
      note: looked === 0 ? of : `${count(withstood)} withstood all methods`,
    },
    { name: 'Clean accuracy', value: dashed.percent(cleanAccuracy), note: count(correct) },
  ]
}

/** How many images no method fooled: those that withstood it, or were right and left in peace. */
function robustImages(runs: readonly AttackRun[]): number {
  const sets = runs.map(({ report }) => new Set(report.images.filter(isRobust).map(({ index }) => index)))
  return [...(sets[0] ?? [])].filter((index) => sets.every((set) => set.has(index))).length
}

function isRobust({ status, label, predicted }: ImageRecord): boolean {
  return status === 'robust' || (status === 'skipped' && label !== null && predicted === label)
}

function strongest(runs: readonly AttackRun[]): Tile {
  const rate = ({ report }: AttackRun): number => report.summary.attackSuccessRate
  const highest = runs.map(rate).reduce((most, each) => (each > most ? each : most), -Infinity)
  const leaders = runs.filter((run) => rate(run) === highest)
  const names = leaders.map(({ name, problem }) => (problem === '' ? name : `${name}, ${problem}`))
  const note = names.length > 2 ? `${countText(names.length)} methods` : names.join('; ')
  return {
    name: 'Highest success rate',
    value: dashed.percent(highest),
    note: note === '' ? 'no image was attacked' : note,
  }
}
