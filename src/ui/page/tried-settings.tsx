import { type Chart, plotChart } from '../../report/chart/plot-chart.ts'
import { logTicks, placed, valueScale } from '../../report/chart/value-scale.ts'
import { curveStyle } from '../../report/palette.ts'
import { Plot } from '../../report/plotting.ts'
import type { TriedSetting } from '../api.ts'
import { type ChartView, LiveChart } from './chart.tsx'
import { Section } from './elements.tsx'
import { Table } from './table.tsx'
import { valueText } from './text.ts'

/** What each setting led to. */
export function TriedSettings({ tried }: { readonly tried: readonly TriedSetting[] }) {
  const measured = tried.filter(({ value }) => value !== null && Number.isFinite(value))
  const sorted = [...tried].sort((a, b) => (a.value ?? Infinity) - (b.value ?? Infinity))
  if (tried.length === 0) return null
  return (
    <Section title="Settings tried">
      <div class="beside">
        {measured.length > 1 && (
          <LiveChart
            version={JSON.stringify(measured.map(({ value }) => value))}
            caption="Mean value that each learning rate led to"
            draw={(view) => triedChart(measured, view)}
          />
        )}
        <Table
          caption="Settings, the best first"
          rows={sorted}
          keyOf={({ setting }) => JSON.stringify(setting)}
          columns={[
            { title: 'Setting', cell: ({ setting }) => settingText(setting) },
            { title: 'Mean value', look: 'num', cell: ({ value }) => valueText(value) },
            { title: 'Runs', look: 'num', cell: ({ seeds }) => seeds },
          ]}
        />
      </div>
    </Section>
  )
}

function settingText(setting: TriedSetting['setting']): string {
  const each = Object.entries(setting).map(([name, value]) => `${name} ${value}`)
  return each.join(', ')
}

function triedChart(tried: readonly TriedSetting[], view: ChartView): Chart {
  const points = tried
    .map(({ setting, value }) => ({
      x: setting.learningRate ?? 1,
      y: value ?? Number.NaN,
      hasBetas: 'beta1' in setting,
    }))
    .sort((a, b) => a.x - b.x)
  const xs = points.map(({ x }) => x)
  const domain = [Math.min(...xs) / 1.5, Math.max(...xs) * 1.5] as const
  const y = valueScale([Float64Array.from(points, (point) => point.y)])
  const [rates, betas] = [false, true].map((wanted) => points.filter(({ hasBetas }) => hasBetas === wanted))
  const groups = [
    { label: 'learning rate', style: curveStyle(0), points: rates ?? [] },
    { label: 'with betas', style: curveStyle(1), points: betas ?? [] },
  ].filter((group) => group.points.length > 0)
  const places = [...new Set(xs)].map((at) => ({ at, text: `learning rate ${at}` }))
  return plotChart(
    {
      x: { type: 'log', domain, ticks: logTicks(...domain), places },
      y,
      marks: groups.map(({ style, points: own }) =>
        Plot.dot(own, { x: 'x', y: (point: { y: number }) => placed(y, point.y), r: 4, fill: style.color }),
      ),
      entries: groups,
      series: groups.map(({ label, style, points: own }) => ({
        ...{ label, color: style.color, x: own.map(({ x }) => x), y: own.map((point) => point.y) },
      })),
    },
    {
      ...view,
      id: 'tried',
      title: 'Mean value against learning rate',
      description: `${points.length} settings.`,
      xLabel: 'learning rate',
      yLabel: 'mean value',
    },
  )
}
