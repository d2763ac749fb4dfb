import { shareCurve } from '../../report/attack/success-figures.ts'
import { convergenceChart } from '../../report/chart/convergence-chart.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { shareScale } from '../../report/chart/value-scale.ts'
import { limitText } from '../../report/number-text.ts'
import type { EvaluationDetail, WorkDetail, WorkRow } from '../api.ts'
import { type ChartView, LiveChart } from './chart.tsx'
import { DoneBar, Section, type TileData, Tiles } from './elements.tsx'
import { Gallery } from './gallery.tsx'
import { Table } from './table.tsx'
import { lengthText, rateText, shareText, timeText, wholeText } from './text.ts'

/** An evaluation: how robust the model is, how many queries it took, and the pictures. */
export function EvaluationView({ row, detail }: { readonly row: WorkRow; readonly detail: WorkDetail }) {
  const { evaluation } = detail
  return (
    <>
      <EvaluationTiles row={row} evaluation={evaluation} />
      <DoneBar row={row} />
      {evaluation?.meaning !== undefined && <p>{evaluation.meaning}.</p>}
      {evaluation !== undefined && evaluation.success.first.length > 0 && <Success row={row} evaluation={evaluation} />}
      {evaluation?.limits !== undefined && <Limits limits={evaluation.limits} />}
      <Gallery row={row} classes={evaluation?.classes ?? []} methods={evaluation?.methods ?? []} />
    </>
  )
}

interface Shown {
  readonly row: WorkRow
  readonly evaluation: EvaluationDetail | undefined
}

function EvaluationTiles({ row, evaluation }: Shown) {
  const isRunning = row.state === 'running'
  const { failed = 0 } = row.items ?? {}
  const open = (evaluation?.skipped ?? 0) + failed
  const left = { name: 'Not attacked', value: wholeText(open), note: 'skipped or failed' }
  return (
    <Tiles
      tiles={[
        ...(isRunning ? runningTiles(row) : endTiles({ row, evaluation })),
        { name: 'Queries to fool', value: wholeText(evaluation?.medianQueries), note: 'median' },
        {
          name: 'Change needed',
          value: `l₂ ${lengthText(evaluation?.medianL2)}`,
          note: `median; l∞ ${lengthText(evaluation?.medianLinf)}`,
        },
        ...(open > 0 ? [left] : []),
      ]}
    />
  )
}

function runningTiles(row: WorkRow): TileData[] {
  const { done = 0, total = 0, fooled = 0 } = row.items ?? {}
  return [
    {
      name: 'Withstood so far',
      value: done > 0 ? shareText((done - fooled) / done) : '–',
      note: `${wholeText(fooled)} of ${wholeText(done)} images fooled`,
    },
    { name: 'Images', value: `${wholeText(done)} of ${wholeText(total)}`, note: phaseText(row) },
    { name: 'Queries per second', value: rateText(row.rate) },
    { name: 'Time left', value: timeText(row.left), note: 'at most' },
  ]
}

function endTiles({ row, evaluation }: Shown): TileData[] {
  const { done = 0, fooled = 0 } = row.items ?? {}
  const [low, high] = evaluation?.successInterval ?? []
  return [
    {
      name: 'Robust accuracy',
      value: shareText(row.robustAccuracy ?? evaluation?.robustAccuracy),
      note: robustNote(evaluation),
    },
    {
      name: 'Fooled',
      value: `${wholeText(fooled)} of ${wholeText(evaluation?.attacked ?? done)}`,
      note: low === undefined ? undefined : `95 % interval ${shareText(low)} to ${shareText(high)}`,
    },
  ]
}

function robustNote(evaluation: EvaluationDetail | undefined): string | undefined {
  if (evaluation === undefined) return undefined
  const { robustInterval: [low, high] = [], robustAccuracyBounds: [least, most] = [], cleanAccuracy } = evaluation
  const known = `95 % interval ${shareText(low)} to ${shareText(high)}; clean ${shareText(cleanAccuracy)}`
  return least === most ? known : `${known}; not all was measured: ${shareText(least)} to ${shareText(most)}`
}

function phaseText({ phase, waiting }: WorkRow): string | undefined {
  return waiting === undefined ? phase : `the model has not answered for ${timeText(waiting)}`
}

/** The share of the attacked images that is fooled after a number of queries. */
function Success({ row, evaluation }: { readonly row: WorkRow; readonly evaluation: EvaluationDetail }) {
  const { first, most } = evaluation.success
  const draw = (view: ChartView): Chart =>
    convergenceChart([{ label: row.name, style: { color: 'var(--c1)' }, curve: successCurve(evaluation) }], {
      ...view,
      id: 'success',
      title: `Success of ${row.name} against queries`,
      description: `${wholeText(evaluation.fooled)} of ${wholeText(evaluation.attacked)} images fooled within ${wholeText(most)} queries.`,
      xLabel: 'queries',
      yLabel: 'share of the attacked images that is fooled',
      scale: shareScale,
    })
  return (
    <Section title="Success">
      <LiveChart version={JSON.stringify(first)} caption="Share of images fooled against queries" draw={draw} />
    </Section>
  )
}

/** The same as a curve. */
export function successCurve({ success: { first, most } }: EvaluationDetail) {
  return shareCurve(
    first.map((queries) => queries ?? Infinity),
    most,
  )
}

function Limits({ limits }: { readonly limits: NonNullable<EvaluationDetail['limits']> }) {
  return (
    <Section title="Limits">
      <Table
        caption="Robust accuracy within each limit"
        rows={limits}
        keyOf={({ size }) => size}
        columns={[
          { title: 'Limit', cell: ({ norm, size }) => `${norm === 'linf' ? 'l∞' : 'l₂'} ${limitText(size)}` },
          { title: 'Robust accuracy', look: 'num', cell: ({ robustAccuracy }) => shareText(robustAccuracy) },
          { title: '95 % interval', cell: ({ interval: [low, high] }) => `${shareText(low)} to ${shareText(high)}` },
        ]}
      />
    </Section>
  )
}
