import { useState } from 'preact/hooks'
import { luckyValue } from '../../../optimizer/core/ledger.ts'
import { type ChartLine, convergenceChart } from '../../report/chart/charts.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { estimateNote, luckyNote } from '../../report/run/result.ts'
import type { Coordinate, JobDetail, JobView, ProgressMessage, RunDetail } from '../api.ts'
import { type Against, type ChartView, LiveChart, useCurves, useZoom } from './chart.tsx'
import { Choice, type Column, DoneBar, Section, Table, Tiles } from './elements.tsx'
import { route, setParams } from './route.ts'
import { useMessages } from './store.ts'
import {
  amountText,
  anyText,
  countedText,
  rateText,
  stopText,
  timeText,
  tookText,
  valueText,
  wholeText,
} from './text.ts'

interface Props {
  readonly row: JobView
  readonly detail: JobDetail
}

/** A run: its course, its best point, what it did. */
export function RunView({ row, detail }: Props) {
  const { run } = detail
  return (
    <>
      <RunTiles row={row} detail={detail} />
      <DoneBar row={row} />
      <div class="beside">
        <Convergence row={row} detail={detail} />
        <BestPoint row={row} run={run} />
      </div>
      {run !== undefined && run.phases.length > 0 && <Phases phases={run.phases} />}
    </>
  )
}

function RunTiles({ row, detail: { run, warnings } }: Props) {
  const isRunning = row.state === 'running'
  const known = run?.estimate && estimateNote(run.estimate)
  const valueNote = warnings.includes(luckyValue) ? luckyNote : known
  const pace = isRunning
    ? [
        { name: 'Queries per second', value: rateText(row.rate) },
        { name: 'Time left', value: timeText(row.left), note: 'at most' },
      ]
    : [
        { name: 'Took', value: tookText(row.seconds) },
        { name: 'Stopped', value: stopText(run?.stopReason ?? row.reason) },
      ]
  return (
    <Tiles
      tiles={[
        { name: 'Best value', value: valueText(row.best), note: valueNote },
        { name: 'Queries', value: amountText(row), note: countedText(row.iterations, 'iteration') },
        ...pace,
      ]}
    />
  )
}

/** What curves are drawn against, as the address says. */
export function useAgainst(): readonly [Against, (against: Against) => void] {
  const against = route.value.params.get('x') === 'seconds' ? 'seconds' : 'queries'
  return [against, (wanted) => setParams({ x: wanted === 'queries' ? undefined : wanted, zoom: undefined })]
}

/** The button that changes it. */
export function AgainstChoice({
  value,
  onChange,
}: {
  readonly value: Against
  readonly onChange: (value: Against) => void
}) {
  return (
    <Choice
      label="Against"
      value={value}
      options={[
        ['queries', 'against queries'],
        ['seconds', 'against time'],
      ]}
      onChange={onChange}
    />
  )
}

function Convergence({ row, detail }: Props) {
  const [against, setAgainst] = useAgainst()
  const [part] = useZoom()
  const { version, end, thinned, curve } = useCurves({ ids: [row.id], against, part })
  const target = detail.spec.target
  const draw = (view: ChartView): Chart | undefined => {
    const [best, value] = [curve(row.id, 'best'), curve(row.id, 'value')]
    if (best.x.length === 0) return undefined
    const lines: ChartLine[] = [
      { label: 'best so far', style: { color: 'var(--c1)' }, curve: best },
      { label: 'value at each iteration', style: { color: 'var(--muted)' }, curve: value, faint: true },
    ]
    return convergenceChart(lines, {
      ...view,
      end,
      id: 'convergence',
      title: `Best value of ${row.name} against ${against === 'queries' ? 'queries' : 'time'}`,
      description: `From ${valueText(best.y[0])} to ${valueText(best.y.at(-1))}.`,
      xLabel: against,
      yLabel: 'best value so far',
      target: typeof target === 'number' ? target : undefined,
    })
  }
  return (
    <Section title="Convergence">
      <AgainstChoice value={against} onChange={setAgainst} />
      <LiveChart
        version={version}
        caption={`Best value against ${against === 'queries' ? 'queries' : 'time'}`}
        draw={draw}
        remark={thinned}
        {...(row.state === 'running' ? {} : { empty: 'There is no iteration with a value to draw.' })}
      />
    </Section>
  )
}

/** The best point so far; of a run whose process does not tell it, as it was last saved. */
function BestPoint({ row, run }: { readonly row: JobView; readonly run: RunDetail | undefined }) {
  const [live, setLive] = useState<Pick<ProgressMessage, 'point' | 'saved'>>()
  useMessages((message) => {
    if (message.type === 'progress' && message.job.id === row.id && message.point !== undefined) setLive(message)
  })
  const { dim, point: known } = run ?? {}
  const { point, saved } =
    row.state === 'running' && live !== undefined ? { ...live, point: merged(live.point, known) } : (run ?? {})
  if (point === undefined || point.length === 0) {
    if (row.state !== 'running') return null
    return (
      <Section title="Best point">
        <p class="remark">
          It is shown once the run has saved it, after some seconds; one with very many variables when the run ends.
          With --ui it is shown at once.
        </p>
      </Section>
    )
  }
  const hasBounds = point.some(({ range, lower, upper }) => (range ?? lower ?? upper) !== undefined)
  const isCut = dim !== undefined && dim > point.length
  return (
    <Section title="Best point">
      {saved !== undefined && saved.value !== row.best && (
        <p class="remark">
          When the run was last saved, after {wholeText(saved.queries)} queries: its value is {valueText(saved.value)}.
        </p>
      )}
      <Table
        caption={isCut ? `The first ${point.length} of ${wholeText(dim)} variables` : 'All variables'}
        rows={point}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Variable', cell: ({ name }) => name },
          {
            title: 'Value',
            look: 'num',
            cell: ({ value }) => <span title={String(value)}>{anyText(value)}</span>,
          },
          ...(hasBounds ? [rangeColumn] : []),
        ]}
      />
    </Section>
  )
}

const rangeColumn: Column<Coordinate> = {
  title: 'Range',
  cell: ({ range, lower, upper }) => range ?? `${valueText(lower)} to ${valueText(upper)}`,
}

/** Bounds come from the spec, which events do not repeat. */
function merged(live: readonly Coordinate[] | undefined, known: readonly Coordinate[] | undefined) {
  const bounds = new Map(known?.map((each) => [each.name, each]))
  return live?.map((each) => ({ ...bounds.get(each.name), ...each }))
}

function Phases({ phases }: { readonly phases: NonNullable<JobDetail['run']>['phases'] }) {
  return (
    <Section title="Phases">
      <Table
        caption="What the method did, in its order"
        rows={phases}
        keyOf={(_, i) => i}
        columns={[
          { title: 'Method', cell: ({ method }) => method },
          { title: 'Queries', look: 'num', cell: ({ queries }) => wholeText(queries) },
          { title: 'Down to', look: 'num', cell: ({ value }) => valueText(value) },
          { title: 'Why', look: 'reason', cell: ({ why }) => why },
        ]}
      />
    </Section>
  )
}
