import { useEffect } from 'preact/hooks'
import { type ChartLine, convergenceChart } from '../../report/chart/convergence-chart.ts'
import { bandCurve, type Curve, thinCurve } from '../../report/chart/curve.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { groupedBy } from '../../report/page/background.ts'
import { curveStyle, distinctStyles } from '../../report/palette.ts'
import { differingPaths, problemsOf, settingsOf, unlikeProblems } from '../../report/run/run-groups.ts'
import type { WorkDetail, WorkRow } from '../api.ts'
import { type ChartView, LiveChart, useZoom } from './chart.tsx'
import { CompareAttacks } from './compare-attacks.tsx'
import { CompareImages } from './compare-images.tsx'
import { firstOnly, useCurves } from './curves.ts'
import { Missing, Notice, Section } from './elements.tsx'
import { route } from './route.ts'
import { AgainstChoice, useAgainst } from './run-view.tsx'
import { get } from './server.ts'
import { ranked, runsOf, type Standing, standing } from './standing.ts'
import { keepRows, rows, useFetched } from './store.ts'
import { type Column, Table, workColumns } from './table.tsx'
import { tookText, valueText, wholeText } from './text.ts'

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

/** A work as it is now. */
function latest(row: WorkRow): WorkRow {
  return rows.value.get(row.id) ?? row
}

function idsOf(detail: WorkDetail): string[] {
  return runsOf(detail).map(({ id }) => id)
}

function CompareRuns({ details }: { readonly details: readonly WorkDetail[] }) {
  const [against, setAgainst] = useAgainst()
  const [part] = useZoom()
  const { version, end, thinned, curve: curveOf } = useCurves({ ids: details.flatMap(idsOf), against, part })
  const draw = (view: ChartView): Chart | undefined => {
    const lines = details.slice(0, distinctStyles).flatMap((detail, i): ChartLine[] => {
      const curves = idsOf(detail)
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
  const problems = problemsOf(details.map(({ spec }) => settingsOf(spec)))
  const standings = details.map((detail, i) => ({
    ...standing(latest(detail.row), runsOf(detail).map(latest)),
    problem: problems[i],
  }))
  const groups = [...groupedBy(standings, ({ problem }) => problem?.key ?? '').values()]
  const isReadable = (those: readonly Standing[]): boolean => those.some(({ row }) => row.state !== 'damaged')
  const isUnlike = groups.filter(isReadable).length > 1
  const isRepeated = standings.some(({ runs }) => runs > 1)
  const first = isRepeated ? 'the lowest median over the runs first' : 'the lowest value first'
  return (
    <>
      {isUnlike && <Notice>{unlikeProblems}</Notice>}
      <Section title="Convergence">
        <AgainstChoice value={against} onChange={setAgainst} />
        <LiveChart
          version={version}
          caption="Best value of each; of several runs the median, and the quartiles around it; of a tuning the runs with its best setting"
          draw={draw}
          remark={[firstOnly(details.length), thinned].join(' ')}
        />
      </Section>
      <Section title="Ranking">
        {groups.map((those) => (
          <Table
            key={those[0]?.problem?.key}
            caption={
              isReadable(those) ? captionOf(those[0]?.problem?.label ?? '', those.length, first) : 'Cannot be read'
            }
            rows={ranked(those)}
            keyOf={({ row }) => row.id}
            columns={isRepeated ? repeatedColumns : singleColumns}
          />
        ))}
      </Section>
    </>
  )
}

function captionOf(problem: string, count: number, first: string): string {
  const text = problem === '' ? first : count > 1 ? `${problem}: ${first}` : problem
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const singleColumns: readonly Column<Standing>[] = [
  ...workColumns.map(({ title, cell }) => ({ title, cell: ({ row }: Standing) => cell(row) })),
  { title: 'Best value', look: 'num', cell: ({ best }) => valueText(best) },
  { title: 'Queries', look: 'num', cell: ({ queries }) => wholeText(queries) },
  { title: 'Took', look: 'num', cell: ({ seconds }) => tookText(seconds) },
]

const repeatedColumns: readonly Column<Standing>[] = [
  ...singleColumns.slice(0, workColumns.length),
  { title: 'Median', look: 'num', cell: ({ median }) => valueText(median) },
  { title: 'Best run', look: 'num', cell: ({ best }) => valueText(best) },
  { title: 'Runs', look: 'num', cell: ({ runs }) => wholeText(runs) },
  { title: 'Queries of a run', look: 'num', cell: ({ queries }) => wholeText(queries) },
  { title: 'Time of a run', look: 'num', cell: ({ seconds }) => tookText(seconds) },
]

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
