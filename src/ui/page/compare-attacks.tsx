import { type ChartLine, convergenceChart } from '../../report/chart/convergence-chart.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { shareScale } from '../../report/chart/value-scale.ts'
import { curveStyle, distinctStyles } from '../../report/palette.ts'
import type { WorkDetail } from '../api.ts'
import { type ChartView, LiveChart } from './chart.tsx'
import { firstOnly } from './curves.ts'
import { Section } from './elements.tsx'
import { successCurve } from './evaluation-view.tsx'
import { rows } from './store.ts'
import { Table, workColumns } from './table.tsx'
import { amountText, lengthText, shareText, wholeText } from './text.ts'

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
  return (
    <Section title="Robustness">
      <LiveChart
        version={JSON.stringify(details.map(({ evaluation }) => evaluation?.success))}
        caption="Share of images fooled against queries"
        draw={draw}
        zoom="success"
        remark={firstOnly(details.length)}
      />
      <Table
        caption="Attacks side by side"
        rows={details.map(({ row, evaluation }) => ({ ...(rows.value.get(row.id) ?? row), evaluation }))}
        keyOf={({ id }) => id}
        columns={[
          ...workColumns,
          { title: 'Robust accuracy', look: 'num', cell: ({ evaluation }) => shareText(evaluation?.robustAccuracy) },
          { title: 'Success', look: 'num', cell: ({ evaluation }) => shareText(evaluation?.successRate) },
          { title: 'Median queries', look: 'num', cell: ({ evaluation }) => wholeText(evaluation?.medianQueries) },
          { title: 'Median l₂', look: 'num', cell: ({ evaluation }) => lengthText(evaluation?.medianL2) },
          { title: 'Done', cell: amountText },
        ]}
      />
    </Section>
  )
}
