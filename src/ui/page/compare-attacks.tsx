import { type ChartLine, convergenceChart } from '../../report/chart/convergence-chart.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { shareScale } from '../../report/chart/value-scale.ts'
import { curveStyle, distinctStyles } from '../../report/palette.ts'
import type { EvaluationDetail, WorkDetail } from '../api.ts'
import { attackBudget, attackLimit, whyUnranked } from './attack-text.ts'
import { type ChartView, LiveChart } from './chart.tsx'
import { firstOnly } from './curves.ts'
import { Notice, Section } from './elements.tsx'
import { successCurve } from './evaluation-view.tsx'
import { rows } from './store.ts'
import { Table, workColumns } from './table.tsx'
import { intervalText, lengthText, shareText, wholeText } from './text.ts'

/** How robust models are, or how strong attacks, side by side. */
export function CompareAttacks({ details }: { readonly details: readonly WorkDetail[] }) {
  const draw = (view: ChartView): Chart | undefined => {
    const lines = details.slice(0, distinctStyles).flatMap(({ row, evaluation }, i): ChartLine[] => {
      if (evaluation === undefined || evaluation.success.first.length === 0) return []
      return [{ label: row.name, style: curveStyle(i), curve: successCurve(evaluation) }]
    })
    if (lines.length === 0) return undefined
    return convergenceChart(lines, {
      ...{
        ...view,
        id: 'success',
        title: 'Success compared',
        description: `${lines.length} attacks.`,
        scale: shareScale,
      },
      ...{ xLabel: 'queries', yLabel: 'share of the attacked images that is fooled' },
    })
  }
  const why = whyUnranked(details)
  const shown = why.length === 0 ? [...details].sort(strongestFirst) : details
  const order = why.length === 0 ? 'The attack that fooled most images first' : 'Attacks side by side'
  return (
    <Section title="Robustness">
      {why.length > 0 && <Notice>These attacks cannot be ranked: {why.join('; ')}.</Notice>}
      <LiveChart
        version={JSON.stringify(details.map(({ evaluation }) => evaluation?.success))}
        caption="Share of images fooled against queries"
        draw={draw}
        zoom="success"
        remark={firstOnly(details.length)}
      />
      <Table
        caption={`${order}; queries and l₂ are medians over the images that each one fooled`}
        rows={shown.map(({ row, spec, evaluation }) => ({ ...(rows.value.get(row.id) ?? row), spec, evaluation }))}
        keyOf={({ id }) => id}
        columns={[
          ...workColumns,
          { title: 'Change allowed', cell: ({ spec }) => attackLimit(spec) },
          { title: 'Budget', cell: ({ spec }) => attackBudget(spec) },
          { title: 'Robust accuracy', look: 'num', cell: ({ evaluation }) => shareText(evaluation?.robustAccuracy) },
          { title: '95 % interval', look: 'num', cell: ({ evaluation }) => intervalText(evaluation?.robustInterval) },
          { title: 'Fooled', look: 'num', cell: ({ evaluation }) => fooledText(evaluation) },
          { title: 'Queries', look: 'num', cell: ({ evaluation }) => wholeText(evaluation?.medianQueries) },
          { title: 'l₂', look: 'num', cell: ({ evaluation }) => lengthText(evaluation?.medianL2) },
        ]}
      />
    </Section>
  )
}

/** By success, and where that is the same, by how soon. */
function strongestFirst({ evaluation: a }: WorkDetail, { evaluation: b }: WorkDetail): number {
  const success = (b?.successRate ?? 0) - (a?.successRate ?? 0)
  return success || (a?.medianQueries ?? Infinity) - (b?.medianQueries ?? Infinity) || 0
}

function fooledText(evaluation: EvaluationDetail | undefined): string {
  return evaluation === undefined ? '–' : `${wholeText(evaluation.fooled)} of ${wholeText(evaluation.attacked)}`
}
