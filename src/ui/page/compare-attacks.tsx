import { type ChartLine, convergenceChart } from '../../report/chart/convergence-chart.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { shareScale } from '../../report/chart/value-scale.ts'
import { curveStyle, distinctStyles } from '../../report/palette.ts'
import type { WorkDetail } from '../api.ts'
import { LiveChart } from './chart.tsx'
import { firstOnly } from './curves.ts'
import { ScrollTable, Section, StateBadge } from './elements.tsx'
import { successCurve } from './evaluation-view.tsx'
import { workHref } from './route.ts'
import { rows } from './store.ts'
import { amountText, lengthText, shareText, wholeText } from './text.ts'

/** How robust models are, or how strong attacks, side by side. */
export function CompareAttacks({ details }: { readonly details: readonly WorkDetail[] }) {
  const draw = (): Chart | undefined => {
    const lines = details.slice(0, distinctStyles).flatMap(({ row, evaluation }, i): ChartLine[] => {
      if (evaluation === undefined || evaluation.success.first.length === 0) return []
      return [{ label: row.name, style: curveStyle(i), curve: successCurve(evaluation) }]
    })
    if (lines.length === 0) return undefined
    return convergenceChart(lines, {
      ...{
        document,
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
        remark={firstOnly(details.length)}
      />
      <ScrollTable caption="Attacks side by side">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col" class="num">
              Robust accuracy
            </th>
            <th scope="col" class="num">
              Success
            </th>
            <th scope="col" class="num">
              Median queries
            </th>
            <th scope="col" class="num">
              Median l₂
            </th>
            <th scope="col">Done</th>
          </tr>
        </thead>
        <tbody>
          {details.map((detail) => {
            const [row, evaluation] = [rows.value.get(detail.row.id) ?? detail.row, detail.evaluation]
            return (
              <tr key={row.id}>
                <th scope="row">
                  <a href={workHref(row.id)}>{row.name}</a>
                </th>
                <td>
                  <StateBadge state={row.state} />
                </td>
                <td class="num">{shareText(evaluation?.robustAccuracy)}</td>
                <td class="num">{shareText(evaluation?.successRate)}</td>
                <td class="num">{wholeText(evaluation?.medianQueries)}</td>
                <td class="num">{lengthText(evaluation?.medianL2)}</td>
                <td>{amountText(row)}</td>
              </tr>
            )
          })}
        </tbody>
      </ScrollTable>
    </Section>
  )
}
