import { useEffect } from 'preact/hooks'
import { budgetText } from '../../report/attack/settings.ts'
import { shareScale } from '../../report/chart/axis.ts'
import { type ChartLine, convergenceChart } from '../../report/chart/charts.ts'
import { bandCurve, type Curve, thinCurve } from '../../report/chart/curve.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { groupedBy } from '../../report/page/elements.ts'
import { curveStyle, distinctStyles } from '../../report/palette.ts'
import { differingPaths, problemsOf, settingsOf, unlikeProblems } from '../../report/run/runs.ts'
import { type ImageCosts, imageVerdicts, strongestFirst } from '../../report/verdict.ts'
import type { EvaluationDetail, ItemList, ItemRow, JobDetail, JobView } from '../api.ts'
import { type ChartView, firstOnly, LiveChart, useCurves, useZoom } from './chart.tsx'
import { Badge, type Column, jobColumns, Missing, Notice, Section, Table } from './elements.tsx'
import { successCurve } from './evaluation-view.tsx'
import { lowestMedianFirst, type RankedJob, rankedJob, runsOf, verdictsOf } from './ranking.ts'
import { imageHref, route } from './route.ts'
import { AgainstChoice, useAgainst } from './run-view.tsx'
import { get, keepRows, pictureUrl, rows, useFetched } from './store.ts'
import {
  afterText,
  attackLimit,
  imageName,
  itemStatus,
  lengthText,
  shareInterval,
  shareText,
  tookText,
  trueClass,
  valueText,
  wholeText,
  whyUnranked,
} from './text.ts'

const mostJobs = 24
const mostSettings = 100
const bandSteps = 120

/** Jobs side by side: their curves, a ranking, and the settings that differ. */
export function CompareScreen() {
  const ids = (route.value.params.get('ids') ?? '').split(',').filter((id) => id !== '')
  const shown = ids.slice(0, mostJobs)
  const states = shown.map((id) => rows.value.get(id)?.state ?? '').join()
  const { value, error } = useFetched(`compare ${shown.join()} ${states}`, async () => {
    const missing: string[] = []
    const found = shown.map((id) =>
      get<JobDetail>(`works/${id}`).catch((failure: Error) => void missing.push(`${id} (${failure.message})`)),
    )
    const details = (await Promise.all(found)).filter((each) => each !== undefined)
    if (details.length === 0) throw new Error(`None can be read: ${missing.join(', ')}`)
    keepRows(details.flatMap(({ job, members = [] }) => [job, ...members]))
    return { details, missing }
  })
  useEffect(() => {
    document.title = 'Compare · zeroth'
  }, [])
  if (shown.length < 2)
    return (
      <Notice>
        Tick at least two jobs in the <a href="#/">list</a> to compare them.
      </Notice>
    )
  if (value === undefined) return error === undefined ? <p class="remark">Loading…</p> : <Missing error={error} />
  const { details, missing } = value
  const attacks = details.filter(({ job }) => job.kind === 'evaluation')
  const others = details.filter(({ job }) => job.kind !== 'evaluation')
  return (
    <>
      <header class="head">
        <nav aria-label="Where this is">
          <a href="#/">Jobs</a>
        </nav>
        <h1>
          Compare {details.length} {details.length === 1 ? 'job' : 'jobs'}
        </h1>
        <p class="remark">The address of this page contains the selection: bookmark or share it.</p>
      </header>
      {missing.length > 0 && <Missing error={`Left out: ${missing.join(', ')}`} />}
      {ids.length > mostJobs && (
        <Notice>
          The first {mostJobs} of {ids.length} are shown.
        </Notice>
      )}
      {others.length > 0 && <CompareRuns details={others} />}
      {attacks.length > 0 && <CompareAttacks details={attacks} />}
      {attacks.length > 1 && <CompareImages details={attacks} />}
      <Differences details={details} />
    </>
  )
}

/** A job as it is now. */
function latest(row: JobView): JobView {
  return rows.value.get(row.id) ?? row
}

function idsOf(detail: JobDetail): string[] {
  return runsOf(detail).map(({ id }) => id)
}

function CompareRuns({ details }: { readonly details: readonly JobDetail[] }) {
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
      return [{ label: detail.job.name, style: curveStyle(i), curve }]
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
    ...rankedJob(latest(detail.job), runsOf(detail).map(latest)),
    problem: problems[i],
  }))
  const groups = [...groupedBy(standings, ({ problem }) => problem?.key ?? '').values()]
  const isUnlike = groups.filter(isReadable).length > 1
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
      <Ranking groups={groups} details={details} />
    </>
  )
}

interface RankingProps {
  /** What to rank, a list for each problem. */
  readonly groups: readonly (readonly Ranked[])[]
  readonly details: readonly JobDetail[]
}

/** A job in a ranking, and what sets its problem apart. */
type Ranked = RankedJob & { readonly problem: { readonly key: string; readonly label: string } | undefined }

function Ranking({ groups, details }: RankingProps) {
  const isRepeated = groups.some((those) => those.some(({ runs }) => runs > 1))
  const first = isRepeated ? 'the lowest median over the runs first' : 'the lowest value first'
  return (
    <Section title="Ranking">
      {groups.map((those) => (
        <Table
          key={those[0]?.problem?.key}
          caption={
            isReadable(those) ? captionOf(those[0]?.problem?.label ?? '', those.length, first) : 'Cannot be read'
          }
          rows={lowestMedianFirst(those)}
          keyOf={({ row }) => row.id}
          columns={isRepeated ? repeatedColumns : singleColumns}
        />
      ))}
      {verdictsOf(details).map((text) => (
        <p key={text}>{text}</p>
      ))}
    </Section>
  )
}

function isReadable(those: readonly RankedJob[]): boolean {
  return those.some(({ row }) => row.state !== 'damaged')
}

function captionOf(problem: string, count: number, first: string): string {
  const text = problem === '' ? first : count > 1 ? `${problem}: ${first}` : problem
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const singleColumns: readonly Column<RankedJob>[] = [
  ...jobColumns.map(({ title, cell }) => ({ title, cell: ({ row }: RankedJob) => cell(row) })),
  { title: 'Best value', look: 'num', cell: ({ best }) => valueText(best) },
  { title: 'Queries', look: 'num', cell: ({ queries }) => wholeText(queries) },
  { title: 'Took', look: 'num', cell: ({ seconds }) => tookText(seconds) },
]

const repeatedColumns: readonly Column<RankedJob>[] = [
  ...singleColumns.slice(0, jobColumns.length),
  { title: 'Median', look: 'num', cell: ({ median }) => valueText(median) },
  { title: 'Best run', look: 'num', cell: ({ best }) => valueText(best) },
  { title: 'Runs', look: 'num', cell: ({ runs }) => wholeText(runs) },
  { title: 'Queries of a run', look: 'num', cell: ({ queries }) => wholeText(queries) },
  { title: 'Time of a run', look: 'num', cell: ({ seconds }) => tookText(seconds) },
]

/** The settings that are not the same for all. */
function Differences({ details }: { readonly details: readonly JobDetail[] }) {
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
            ...details.map(({ job }, i) => ({
              title: job.name,
              cell: (path: string) => settings[i]?.get(path)?.text ?? 'not set',
            })),
          ]}
        />
      )}
    </Section>
  )
}

/** How robust models are, or how strong attacks, side by side. */
function CompareAttacks({ details }: { readonly details: readonly JobDetail[] }) {
  const draw = (view: ChartView): Chart | undefined => {
    const lines = details.slice(0, distinctStyles).flatMap(({ job, evaluation }, i): ChartLine[] => {
      if (evaluation === undefined || evaluation.success.first.length === 0) return []
      return [{ label: job.name, style: curveStyle(i), curve: successCurve(evaluation) }]
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
      ...{ xLabel: 'queries', yLabel: 'fooled images' },
    })
  }
  const why = whyUnranked(details)
  const shown = why.length === 0 ? [...details].sort(bySuccess) : details
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
        rows={shown.map(({ job, spec, evaluation }) => ({ ...(rows.value.get(job.id) ?? job), spec, evaluation }))}
        keyOf={({ id }) => id}
        columns={[
          ...jobColumns,
          { title: 'Change allowed', cell: ({ spec }) => attackLimit(spec) },
          { title: 'Budget', cell: ({ spec }) => budgetText(spec) },
          { title: 'Robust accuracy', look: 'num', cell: ({ evaluation }) => shareText(evaluation?.robustAccuracy) },
          { title: '95 % interval', look: 'num', cell: ({ evaluation }) => shareInterval(evaluation?.robustInterval) },
          { title: 'Fooled', look: 'num', cell: ({ evaluation }) => fooledText(evaluation) },
          { title: 'Queries', look: 'num', cell: ({ evaluation }) => wholeText(evaluation?.medianQueries) },
          { title: 'l₂', look: 'num', cell: ({ evaluation }) => lengthText(evaluation?.medianL2) },
        ]}
      />
    </Section>
  )
}

function bySuccess({ evaluation: a }: JobDetail, { evaluation: b }: JobDetail): number {
  return strongestFirst(a ?? {}, b ?? {})
}

function fooledText(evaluation: EvaluationDetail | undefined): string {
  return evaluation === undefined ? '–' : `${wholeText(evaluation.fooled)} of ${wholeText(evaluation.attacked)}`
}

/** Images that are shown side by side. */
const mostImages = 12

/** The same images as each attack changed them, and which fared differently. */
function CompareImages({ details }: { readonly details: readonly JobDetail[] }) {
  const key = details.map(({ job }) => `${job.id} ${job.state} ${job.items?.done}`).join()
  const { value } = useFetched(`images ${key}`, () =>
    Promise.all(details.map(({ job }) => get<ItemList>(`works/${job.id}/items`))),
  )
  if (value === undefined) return null
  const all = value.map(({ items }) => new Map(items.map((item) => [item.index, item])))
  const shared = [...(all[0]?.values() ?? [])].filter((item) => all.every((own) => isSame(own.get(item.index), item)))
  const changed = shared.filter(({ index, status }) => all.some((own) => own.get(index)?.status !== status))
  const pictured = [...changed, ...shared.filter((item) => !changed.includes(item))]
    .filter(({ pictures }) => pictures.length > 0)
    .slice(0, mostImages)
  if (shared.length === 0) return null
  const isRanked = whyUnranked(details).length === 0
  return (
    <Section title="The same images">
      {isRanked && imageVerdicts(costsOf(details, all)).map((text) => <p key={text}>{text}</p>)}
      <p>
        {wholeText(changed.length)} of {wholeText(shared.length)} images fared differently
        {changed.length > 0 && `: ${changed.slice(0, 8).map(imageName).join(', ')}${changed.length > 8 ? ', …' : ''}`}.
      </p>
      {pictured.map((item) => (
        <div class="same" key={item.index}>
          <h3>
            {imageName(item)}: {trueClass(item)}
          </h3>
          <ul class="row">
            {details.map(({ job }, i) => {
              const own = all[i]?.get(item.index)
              return own === undefined ? null : <Fared key={job.id} id={job.id} name={job.name} item={own} />
            })}
          </ul>
        </div>
      ))}
    </Section>
  )
}

const measured: ReadonlySet<string> = new Set(['fooled', 'robust'])

/** What each attack needed on every image, the strongest attack first. */
function costsOf(details: readonly JobDetail[], all: readonly ReadonlyMap<number, ItemRow>[]): ImageCosts[] {
  const attacks = details.map((detail, i) => ({
    detail,
    items: [...(all[i]?.values() ?? [])].filter(({ status }) => measured.has(status)),
  }))
  const strongest = attacks.sort((a, b) => bySuccess(a.detail, b.detail))
  return strongest.map(({ detail, items }) => ({
    name: detail.job.name,
    queries: new Map(items.map(({ index, firstQueries }) => [index, firstQueries ?? Infinity])),
    distances: new Map(
      items.flatMap(({ index, status, l2 }) => (status === 'fooled' && l2 !== undefined ? [[index, l2] as const] : [])),
    ),
  }))
}

function isSame(one: ItemRow | undefined, other: ItemRow): boolean {
  return one !== undefined && one.title === other.title && one.label === other.label
}

function Fared({ id, name, item }: { readonly id: string; readonly name: string; readonly item: ItemRow }) {
  const { word, look } = itemStatus(item)
  const picture = item.pictures.includes('adversarial') ? 'adversarial' : item.pictures[0]
  return (
    <li>
      <a class="card" href={imageHref(id, item.index)}>
        {picture !== undefined && (
          <img class="squares" src={pictureUrl(id, item.index, picture)} alt="" loading="lazy" width="96" height="96" />
        )}
        <span class="card-text">{name}</span>
        <span class="card-head">
          <Badge word={word} look={look} />
        </span>
        <span class="card-text">
          {item.status === 'fooled' ? `→ ${afterText(item)}, ` : ''}
          {wholeText(item.firstQueries ?? item.queries)} queries
        </span>
      </a>
    </li>
  )
}
