import { useEffect } from 'preact/hooks'
import { type ChartLine, convergenceChart } from '../../report/chart/convergence-chart.ts'
import { bandCurve, type Curve, thinCurve } from '../../report/chart/curve.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { curveStyle, distinctStyles } from '../../report/palette.ts'
import { differingPaths, settingsOf } from '../../report/run/run-groups.ts'
import type { WorkDetail, WorkRow } from '../api.ts'
import { type ChartView, LiveChart, useZoom } from './chart.tsx'
import { CompareAttacks } from './compare-attacks.tsx'
import { CompareImages } from './compare-images.tsx'
import { firstOnly, useCurves } from './curves.ts'
import { Missing, Notice, Section } from './elements.tsx'
import { route } from './route.ts'
import { AgainstChoice, useAgainst } from './run-view.tsx'
import { get } from './server.ts'
import { keepRows, rows, useFetched } from './store.ts'
import { Table, workColumns } from './table.tsx'
import { resultText, tookText, valueText, wholeText } from './text.ts'

const mostWorks = 24
const mostSettings = 100
const bandSteps = 120

/** Works side by side: their curves, a ranking, and the settings that differ. */
export function CompareScreen() {
  const ids = (route.value.params.get('ids') ?? '').split(',').filter((id) => id !== '')
  const shown = ids.slice(0, mostWorks)
  const states = shown.map((id) => rows.value.get(id)?.state ?? '').join()
  const { value, error } = useFetched(`compare ${shown.join()} ${states}`, async () => {
    const missing: string[] = []
    const found = shown.map((id) =>
      get<WorkDetail>(`works/${id}`).catch((failure: Error) => void missing.push(`${id} (${failure.message})`)),
    )
    const details = (await Promise.all(found)).filter((each) => each !== undefined)
    if (details.length === 0) throw new Error(`None can be read: ${missing.join(', ')}`)
    keepRows(details.flatMap(({ row, members = [] }) => [row, ...members]))
    return { details, missing }
  })
  useEffect(() => {
    document.title = 'Compare · zeroth'
  }, [])
  if (shown.length < 2)
    return (
      <Notice>
        Tick at least two works in the <a href="#/">list</a> to compare them.
      </Notice>
    )
  if (value === undefined) return error === undefined ? <p class="remark">Loading…</p> : <Missing error={error} />
  const { details, missing } = value
  const attacks = details.filter(({ row }) => row.kind === 'evaluation')
  const others = details.filter(({ row }) => row.kind !== 'evaluation')
  return (
    <>
      <header class="head">
        <nav aria-label="Where this is">
          <a href="#/">Works</a>
        </nav>
        <h1>
          Compare {details.length} {details.length === 1 ? 'work' : 'works'}
        </h1>
        <p class="remark">The address of this page holds the selection: it can be shared and bookmarked.</p>
      </header>
      {missing.length > 0 && <Missing error={`Left out: ${missing.join(', ')}`} />}
      {ids.length > mostWorks && (
        <Notice>
          The first {mostWorks} of {ids.length} are shown.
        </Notice>
      )}
      {others.length > 0 && <CompareRuns details={others} />}
      {attacks.length > 0 && <CompareAttacks details={attacks} />}
      {attacks.length > 1 && <CompareImages details={attacks} />}
      <Differences details={details} />
    </>
  )
}

function rowOf({ row }: WorkDetail): WorkRow {
  return rows.value.get(row.id) ?? row
}

/** The runs that stand for a work: itself, or its members. */
function runsOf({ row, members = [] }: WorkDetail): string[] {
  return row.kind === 'run' ? [row.id] : members.filter(({ kind }) => kind === 'run').map(({ id }) => id)
}

function CompareRuns({ details }: { readonly details: readonly WorkDetail[] }) {
  const [against, setAgainst] = useAgainst()
  const [part] = useZoom()
  const { version, end, thinned, curve: curveOf } = useCurves({ ids: details.flatMap(runsOf), against, part })
  const draw = (view: ChartView): Chart | undefined => {
    const lines = details.slice(0, distinctStyles).flatMap((detail, i): ChartLine[] => {
      const curves = runsOf(detail)
        .map((id) => curveOf(id, 'best'))
        .filter(({ x }) => x.length > 0)
      if (curves.length === 0) return []
      const curve = curves.length === 1 ? thinCurve(curves[0] as Curve, bandSteps) : bandCurve(curves, bandSteps, part)
      return [{ label: detail.row.name, style: curveStyle(i), curve }]
    })
    if (lines.length === 0) return undefined
    const ends = lines.map(({ label, curve }) => `${label}: ${valueText(curve.y.at(-1))}.`)
    return convergenceChart(lines, {
      ...{ ...view, end, id: 'compared', title: 'Best values compared', description: ends.join(' ') },
      ...{ xLabel: against, yLabel: 'best value so far' },
    })
  }
  return (
    <>
      <Section title="Convergence">
        <AgainstChoice value={against} onChange={setAgainst} />
        <LiveChart
          version={version}
          caption="Best value of each; of several runs the median, and the quartiles around it"
          draw={draw}
          remark={[firstOnly(details.length), thinned].join(' ')}
        />
      </Section>
      <Section title="Ranking">
        <Table
          caption="The lowest value first"
          rows={details.map(rowOf).sort((a, b) => (a.best ?? Infinity) - (b.best ?? Infinity))}
          keyOf={({ id }) => id}
          columns={[
            ...workColumns,
            { title: 'Best value', look: 'num', cell: resultText },
            { title: 'Queries', look: 'num', cell: ({ queries }) => wholeText(queries) },
            { title: 'Took', look: 'num', cell: ({ seconds }) => tookText(seconds) },
          ]}
        />
      </Section>
    </>
  )
}

/** The settings that are not the same for all. */
function Differences({ details }: { readonly details: readonly WorkDetail[] }) {
  const settings = details.map(({ spec }) => settingsOf(spec))
  const paths = differingPaths(settings)
  return (
    <Section title="Settings that differ">
      {paths.length === 0 ? (
        <p class="remark">None: they differ in nothing but what chance and time brought.</p>
      ) : (
        <Table
          caption={`${Math.min(paths.length, mostSettings)} of ${new Set(settings.flatMap((each) => [...each.keys()])).size} settings`}
          rows={paths.slice(0, mostSettings)}
          keyOf={(path) => path}
          columns={[
            { title: 'Setting', cell: (path) => <code>{path}</code> },
            ...details.map(({ row }, i) => ({
              title: row.name,
              cell: (path: string) => settings[i]?.get(path)?.text ?? 'not set',
            })),
          ]}
        />
      )}
    </Section>
  )
}
