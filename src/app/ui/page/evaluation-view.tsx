import { useState } from 'preact/hooks'
import { shareCurve } from '../../report/attack/figures.ts'
import { budgetText } from '../../report/attack/settings.ts'
import { shareScale } from '../../report/chart/axis.ts'
import { convergenceChart } from '../../report/chart/charts.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { limitText } from '../../report/number-text.ts'
import type { EvaluationDetail, ItemList, ItemRow, JobDetail, JobView } from '../api.ts'
import { type ChartView, LiveChart } from './chart.tsx'
import { Badge, DoneBar, Section, Select, Table, type TileData, Tiles } from './elements.tsx'
import { imageHref, route, setParams } from './route.ts'
import { get, pictureUrl, useFetched, useMessages } from './store.ts'
import {
  afterText,
  attackLimit,
  countedText,
  imageName,
  itemStatus,
  lengthText,
  normText,
  queriesText,
  rateText,
  shareInterval,
  shareText,
  timeText,
  trueClass,
  wholeText,
} from './text.ts'

/** An evaluation: how robust the model is, how many queries it took, and the pictures. */
export function EvaluationView({ row, detail }: { readonly row: JobView; readonly detail: JobDetail }) {
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
  readonly row: JobView
  readonly evaluation: EvaluationDetail | undefined
}

function EvaluationTiles({ row, evaluation, spec }: Shown & Pick<JobDetail, 'spec'>) {
  const isRunning = row.state === 'running'
  const { failed = 0 } = row.items ?? {}
  const open = (evaluation?.skipped ?? 0) + failed
  const left = { name: 'Not attacked', value: wholeText(open), note: 'skipped or failed' }
  return (
    <Tiles
      tiles={[
        ...(isRunning ? runningTiles(row) : endTiles({ row, evaluation })),
        { name: 'Change allowed', value: attackLimit(spec), note: budgetText(spec) },
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

function runningTiles(row: JobView): TileData[] {
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
      note: evaluation === undefined ? undefined : `95 % interval ${shareInterval(evaluation.successInterval)}`,
    },
  ]
}

function robustNote(evaluation: EvaluationDetail | undefined): string | undefined {
  if (evaluation === undefined) return undefined
  const { robustInterval, robustAccuracyBounds: bounds = [], cleanAccuracy } = evaluation
  const known = `95 % interval ${shareInterval(robustInterval)}; clean ${shareText(cleanAccuracy)}`
  return bounds[0] === bounds[1] ? known : `${known}; not all was measured: ${shareInterval(bounds)}`
}

function phaseText({ phase, waiting }: JobView): string | undefined {
  return waiting === undefined ? phase : `the model has not answered for ${timeText(waiting)}`
}

/** The share of the attacked images that is fooled after a number of queries. */
function Success({ row, evaluation }: { readonly row: JobView; readonly evaluation: EvaluationDetail }) {
  const { first, most } = evaluation.success
  const draw = (view: ChartView): Chart =>
    convergenceChart([{ label: row.name, style: { color: 'var(--c1)' }, curve: successCurve(evaluation) }], {
      ...view,
      id: 'success',
      title: `Success of ${row.name} against queries`,
      description: `${wholeText(evaluation.fooled)} of ${wholeText(evaluation.attacked)} images fooled within ${wholeText(most)} queries.`,
      xLabel: 'queries',
      yLabel: 'fooled images',
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
          { title: '95 % interval', cell: ({ interval }) => shareInterval(interval) },
        ]}
      />
    </Section>
  )
}

const statuses = ['fooled', 'robust', 'skipped', 'failed', 'unfinished', 'unconfirmed'] as const

interface Props {
  readonly row: JobView
  readonly classes: readonly string[]
  readonly methods: readonly string[]
}

/** The images of an evaluation. Those that get done while it is shown are added at its end: nothing moves that is seen. */
function Gallery({ row, classes, methods }: Props) {
  const query = galleryQuery()
  const { shown, total, error, isFetched, addPage } = useItems(row, query)
  return (
    <Section title="Images">
      <search class="filters">
        <Filter label="Result" name="status" value={query.status} choices={statuses} />
        <Filter label="Class" name="class" value={query.class} choices={classes} />
        {(methods.length > 1 || query.method !== '') && (
          <Filter label="Method" name="method" value={query.method} choices={methods} />
        )}
        <Select
          label="Sort by"
          value={query.sort}
          options={[
            ['', 'number'],
            ['queries', 'queries to fool'],
            ['distance', 'change'],
          ]}
          onChange={(by) => setParams({ sort: by })}
        />
        <span class="remark">{countedText(total, 'image')}</span>
      </search>
      {error !== undefined && <p class="remark">{error}</p>}
      {isFetched && shown.length === 0 && (
        <p class="remark">{row.state === 'running' ? 'No image is done yet.' : 'No image is of that kind.'}</p>
      )}
      <ul class="gallery">
        {shown.map((item) => (
          <ImageCard key={item.index} id={row.id} item={item} />
        ))}
      </ul>
      {addPage !== undefined && (
        <button type="button" onClick={addPage}>
          Show more of {wholeText(total)}
        </button>
      )}
      <p class="remark">
        l₂ and l∞ of an image are those of its saved 8-bit file where there is one. In the picture of a change, gray
        means no change; white and black stand for the largest change, which differs from image to image.
      </p>
    </Section>
  )
}

interface Query {
  readonly status: string
  readonly class: string
  readonly method: string
  readonly sort: string
}

/** Which images are shown, as the address says. */
function galleryQuery(): Query {
  const given = (name: string): string => route.value.params.get(name) ?? ''
  return { status: given('status'), class: given('class'), method: given('method'), sort: given('sort') }
}

/** The images of an evaluation that match, page by page, and those that get done meanwhile. */
function useItems(row: JobView, query: Query) {
  const [pages, setPages] = useState<readonly ItemList[]>([])
  const [added, setAdded] = useState<readonly ItemRow[]>([])
  const isOver = row.state !== 'running'
  const { value, error } = useFetched(`items ${row.id} ${isOver} ${JSON.stringify(query)}`, async () => {
    const list = await get<ItemList>(`works/${row.id}/items`, { ...query })
    setPages([])
    setAdded([])
    return list
  })
  const last = pages.at(-1) ?? value
  const known = [...(value?.items ?? []), ...pages.flatMap(({ items }) => items)]
  useMessages((message) => {
    if (message.type !== 'item' || message.id !== row.id || !matches(message.item, query)) return
    setAdded((items) => [...items.filter(({ index }) => index !== message.item.index), message.item])
  })
  const isComplete = last?.next === undefined
  const fresh = added.filter(({ index }) => !known.some((item) => item.index === index))
  const shown = [
    ...known.map((item) => added.find(({ index }) => index === item.index) ?? item),
    ...(isComplete ? fresh : []),
  ]
  const addPage = async (): Promise<void> => {
    const list = await get<ItemList>(`works/${row.id}/items`, { ...query, after: last?.next })
    setPages([...pages, list])
  }
  const total = (value?.total ?? 0) + fresh.length
  return { shown, total, error, isFetched: value !== undefined, addPage: isComplete ? undefined : addPage }
}

/** A choice of what is shown: all, or only some. */
function Filter({
  label,
  name,
  value,
  choices,
}: Record<'label' | 'name' | 'value', string> & { choices: readonly string[] }) {
  const options = [['', 'all'] as const, ...choices.map((each) => [each, each] as const)]
  return <Select label={label} value={value} options={options} onChange={(chosen) => setParams({ [name]: chosen })} />
}

function matches(item: ItemRow, { status, class: named, method }: Query): boolean {
  const { before, label, labelName, predicted, predictedName, methods } = item
  const classes = [before, labelName ?? String(label), predictedName ?? String(predicted)]
  const isOf = (wanted: string, own: readonly (string | undefined)[]): boolean => wanted === '' || own.includes(wanted)
  return isOf(status, [item.status]) && isOf(named, classes) && isOf(method, methods)
}

/** An image: untouched, changed, and the change. */
function ImageCard({ id, item }: { readonly id: string; readonly item: ItemRow }) {
  const { word, look } = itemStatus(item)
  const isFooled = item.status === 'fooled'
  const name = imageName(item)
  return (
    <li>
      <a class="card" href={imageHref(id, item.index)}>
        <Shots id={id} item={item} />
        <span class="card-head">
          <strong>{name}</strong>
          <Badge word={word} look={look} />
        </span>
        <span class="card-text">
          {trueClass(item)}
          {isFooled && ` → ${afterText(item)}`}
          {item.reason !== undefined && `: ${item.reason}`}
        </span>
        <span class="card-text">
          {item.firstQueries !== undefined && `${queriesText(item.firstQueries)}, `}
          {item.l2 !== undefined && `l₂ ${lengthText(item.l2)}, l∞ ${lengthText(item.linf)}`}
        </span>
      </a>
    </li>
  )
}

/** The pictures of an image side by side, equally large. */
export function Shots({
  id,
  item,
  isLarge = false,
}: {
  readonly id: string
  readonly item: ItemRow
  readonly isLarge?: boolean
}) {
  if (item.pictures.length === 0)
    return isLarge ? <p class="remark">There are no pictures of it.</p> : <span class="missing">no picture</span>
  const titles = {
    original: `original: ${item.before ?? '–'}`,
    adversarial: `changed: ${afterText(item)}`,
    perturbation: `change: ± ${lengthText(item.linf)}`,
  }
  return (
    <span class={isLarge ? 'shots large' : 'shots'}>
      {item.pictures.map((name) => (
        <span class="shot" key={name}>
          <img
            src={pictureUrl(id, item.index, name)}
            alt={isLarge ? titles[name] : ''}
            loading="lazy"
            width="96"
            height="96"
            onLoad={sharpen}
          />
          {isLarge && <span>{titles[name]}</span>}
        </span>
      ))}
    </span>
  )
}

/** Pixels of small pictures stay squares when they are enlarged. */
function sharpen({ currentTarget }: { readonly currentTarget: HTMLImageElement }): void {
  currentTarget.classList.toggle('squares', currentTarget.naturalWidth < 128)
}
