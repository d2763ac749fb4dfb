import { summarize } from '../../../optimizer/core/statistics.ts'
import { logTicks, placed, valueScale } from '../../report/chart/axis.ts'
import { type ChartLine, convergenceChart } from '../../report/chart/charts.ts'
import { bandCurve, thinCurve } from '../../report/chart/curve.ts'
import { type Chart, plotChart } from '../../report/chart/plot-chart.ts'
import { curveStyle } from '../../report/palette.ts'
import { Plot } from '../../report/plotting.ts'
import type { JobDetail, JobView, TriedSetting } from '../api.ts'
import { type ChartView, LiveChart, useCurves, useZoom } from './chart.tsx'
import { Choice, DoneBar, jobColumns, Section, Table, type TileData, Tiles } from './elements.tsx'
import { route, setParams } from './route.ts'
import { AgainstChoice, useAgainst } from './run-view.tsx'
import { rows } from './store.ts'
import { amountText, rateText, resultText, stopText, tookText, valueText, wholeText } from './text.ts'

/** Members whose curves are fetched. Where there are more, the page says so. */
const mostCurves = 400
const bandSteps = 120

interface Props {
  readonly row: JobView
  readonly detail: JobDetail
}

/** A series or a tuning: what its runs have in common, and each of them. */
export function MembersView({ row, detail }: Props) {
  const members = (detail.members ?? []).map((each) => rows.value.get(each.id) ?? each)
  return (
    <>
      <MemberTiles row={row} members={members} target={detail.spec.target} />
      <DoneBar row={row} />
      {row.kind === 'tuning' && <TriedSettings tried={detail.tried ?? []} />}
      <div class={row.kind === 'series' ? 'beside' : ''}>
        {row.kind === 'series' && <Band members={members} name={row.name} />}
        <MemberTable members={members} title={row.kind === 'tuning' ? 'Trials' : 'Runs'} />
      </div>
    </>
  )
}

function MemberTiles({
  row,
  members,
  target,
}: {
  readonly row: JobView
  readonly members: readonly JobView[]
  readonly target: unknown
}) {
  const values = members.filter(({ state }) => state === 'finished').map(({ best }) => best ?? Number.NaN)
  const { median, lowerQuartile, upperQuartile } = summarize(values)
  const isRunning = row.state === 'running'
  const spread = values.length > 1 ? `quartiles ${valueText(lowerQuartile)} and ${valueText(upperQuartile)}` : undefined
  return (
    <Tiles
      tiles={[
        ...(row.kind === 'series'
          ? [
              { name: 'Median', value: valueText(median), note: spread },
              { name: 'Best run', value: valueText(row.best), note: 'of one seed' },
            ]
          : settingTiles(row)),
        ...(typeof target === 'number' ? [reachedTile(members, target)] : []),
        { name: 'Done', value: amountText(row), note: `${wholeText(row.queries)} queries` },
        isRunning
          ? { name: 'Queries per second', value: rateText(row.rate) }
          : { name: 'Took', value: tookText(row.seconds) },
      ]}
    />
  )
}

/** A single trial may be lucky: a setting is judged by the mean over its seeds. */
function settingTiles({ setting, value, state }: JobView): TileData[] {
  if (setting === undefined) return []
  return [
    { name: state === 'finished' ? 'Best setting' : 'Best setting so far', value: setting },
    { name: 'Its value', value: valueText(value), note: 'mean over its seeds' },
  ]
}

function reachedTile(members: readonly JobView[], target: number): TileData {
  const reached = members.filter(({ best }) => typeof best === 'number' && best <= target).length
  return { name: 'Reached the target', value: `${reached} of ${members.length}`, note: valueText(target) }
}

/** The runs of a series as their median and quartiles, on demand each of them. */
function Band({ members, name }: { readonly members: readonly JobView[]; readonly name: string }) {
  const [against, setAgainst] = useAgainst()
  const all = members.filter(({ kind }) => kind === 'run')
  const runs = all.slice(0, mostCurves)
  const [part] = useZoom()
  const { version, end, thinned, curve: curveOf } = useCurves({ ids: runs.map(({ id }) => id), against, part })
  const each = route.value.params.get('each') === 'yes' ? 'each' : 'band'
  const draw = (view: ChartView): Chart | undefined => {
    const curves = runs
      .map(({ id, name: label }) => ({ label, curve: curveOf(id, 'best') }))
      .filter(({ curve }) => curve.x.length > 0)
    if (curves.length === 0) return undefined
    const band: ChartLine = {
      label: 'median',
      style: curveStyle(0),
      curve: bandCurve(
        curves.map(({ curve }) => curve),
        bandSteps,
        part,
      ),
    }
    const traces = curves.map(
      ({ label, curve }, i): ChartLine => ({ label, style: curveStyle(i), curve: thinCurve(curve, bandSteps) }),
    )
    const lines = each === 'each' || curves.length === 1 ? traces : [band]
    return convergenceChart(lines, {
      ...view,
      end,
      id: 'band',
      title: `Best value of the runs of ${name}`,
      description: `${curves.length} runs.`,
      xLabel: against,
      yLabel: 'best value so far',
    })
  }
  return (
    <Section title="Convergence">
      <div class="choices">
        <AgainstChoice value={against} onChange={setAgainst} />
        <Choice
          label="Lines"
          value={each}
          options={[
            ['band', 'median and quartiles'],
            ['each', 'each run'],
          ]}
          onChange={(wanted) => setParams({ each: wanted === 'each' ? 'yes' : undefined })}
        />
      </div>
      <LiveChart
        version={`${version} ${each}`}
        caption={each === 'each' ? 'Best value of each run' : 'Median of the best values, and the quartiles around it'}
        draw={draw}
        remark={[all.length > runs.length ? `Of the first ${runs.length} of ${all.length} runs.` : '', thinned].join(
          ' ',
        )}
      />
    </Section>
  )
}

function MemberTable({ members, title }: { readonly members: readonly JobView[]; readonly title: string }) {
  return (
    <Section title={title}>
      <Table
        caption={`${title}, in their order`}
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          ...jobColumns,
          { title: 'Result', look: 'num', cell: resultText },
          { title: 'Done', cell: amountText },
          { title: 'Stopped', cell: ({ problem, reason }) => problem ?? stopText(reason) },
        ]}
      />
    </Section>
  )
}

/** What each setting led to. */
function TriedSettings({ tried }: { readonly tried: readonly TriedSetting[] }) {
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
