import { shareCurve } from '../../report/attack/success-figures.ts'
import { convergenceChart } from '../../report/chart/convergence-chart.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { shareScale } from '../../report/chart/value-scale.ts'
import { limitText } from '../../report/number-text.ts'
import type { EvaluationDetail, WorkDetail, WorkRow } from '../api.ts'
import { attackBudget, attackLimit, normText } from './attack-text.ts'
import { type ChartView, LiveChart } from './chart.tsx'
import { DoneBar, Section, type TileData, Tiles } from './elements.tsx'
import { Gallery } from './gallery.tsx'
import { Table } from './table.tsx'
import { intervalText, lengthText, rateText, shareText, timeText, wholeText } from './text.ts'

/** An evaluation: how robust the model is, how many queries it took, and the pictures. */
export function EvaluationView({ row, detail }: { readonly row: WorkRow; readonly detail: WorkDetail }) {
  const { evaluation } = detail
  return (
    <>
      <EvaluationTiles row={row} evaluation={evaluation} spec={detail.spec} />
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

function EvaluationTiles({ row, evaluation, spec }: Shown & Pick<WorkDetail, 'spec'>) {
  const isRunning = row.state === 'running'
  const { failed = 0 } = row.items ?? {}
  const open = (evaluation?.skipped ?? 0) + failed
  const left = { name: 'Not attacked', value: wholeText(open), note: 'skipped or failed' }
  return (
    <Tiles
      tiles={[
        ...(isRunning ? runningTiles(row) : endTiles({ row, evaluation })),
        { name: 'Change allowed', value: attackLimit(spec), note: attackBudget(spec) },
        ...(evaluation === undefined ? [] : fooledTiles(evaluation)),
        ...(open > 0 ? [left] : []),
      ]}
    />
  )
}

/** What it took to fool the model. Images that withstood have no part in it: they would have needed more. */
function fooledTiles({ fooled, medianQueries, medianL2, medianLinf, medianSavedL2 }: EvaluationDetail): TileData[] {
  if (fooled === 0) return []
  const those = `median of the ${wholeText(fooled)} fooled`
  const saved = medianSavedL2 === null ? '' : `; as saved 8-bit files l₂ ${lengthText(medianSavedL2)}`
  return [
    { name: 'Queries to the first success', value: wholeText(medianQueries), note: those },
    {
      name: 'Smallest change found',
      value: `l₂ ${lengthText(medianL2)}`,
      note: `${those}; l∞ ${lengthText(medianLinf)}${saved}`,
    },
  ]
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
  return [
    {
      name: 'Robust accuracy',
      value: shareText(row.robustAccuracy ?? evaluation?.robustAccuracy),
      note: robustNote(evaluation),
    },
    {
      name: 'Fooled',
      value: `${wholeText(fooled)} of ${wholeText(evaluation?.attacked ?? done)}`,
      note: evaluation === undefined ? undefined : `95 % interval ${intervalText(evaluation.successInterval)}`,
    },
  ]
}

function robustNote(evaluation: EvaluationDetail | undefined): string | undefined {
  if (evaluation === undefined) return undefined
  const { robustInterval, robustAccuracyBounds: bounds = [], cleanAccuracy } = evaluation
  const known = `95 % interval ${intervalText(robustInterval)}; clean ${shareText(cleanAccuracy)}`
  return bounds[0] === bounds[1] ? known : `${known}; not all was measured: ${intervalText(bounds)}`
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
          { title: 'Limit', cell: ({ norm, size }) => `${normText(norm)} ${limitText(size)}` },
          { title: 'Robust accuracy', look: 'num', cell: ({ robustAccuracy }) => shareText(robustAccuracy) },
          { title: '95 % interval', cell: ({ interval }) => intervalText(interval) },
        ]}
      />
    </Section>
  )
}
