import { useEffect } from 'preact/hooks'
import { zeroScale } from '../../report/chart/axis.ts'
import { type ChartLine, convergenceChart } from '../../report/chart/charts.ts'
import { curveOf } from '../../report/chart/curve.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import type { ItemDetail, ItemRow, JobDetail } from '../api.ts'
import { type ChartView, LiveChart } from './chart.tsx'
import { Badge, Missing, Section, type TileData, Tiles } from './elements.tsx'
import { Shots } from './evaluation-view.tsx'
import { imageHref, jobHref } from './route.ts'
import { get, rows, useFetched } from './store.ts'
import { afterText, imageName, itemStatus, lengthText, measuredOn, numberText, queriesText, wholeText } from './text.ts'

/** One image of an evaluation, large. Arrows lead to the next and the one before, Escape back. */
export function ImageScreen({ id, index }: { readonly id: string; readonly index: number }) {
  const { value, error } = useFetched(`image ${id} ${index}`, () => get<ItemDetail>(`works/${id}/items/${index}`))
  const work = useFetched(`work ${id}`, () => get<JobDetail>(`works/${id}`)).value?.job ?? rows.value.get(id)
  useKeys(id, value)
  useEffect(() => {
    if (value !== undefined) document.title = `${imageName(value.item)} · zeroth`
  }, [value?.item.title])
  if (value === undefined) {
    if (error === undefined) return <p class="remark">Loading…</p>
    return <Missing error={error}>{work !== undefined && <a href={jobHref(id)}>{work.name}</a>}</Missing>
  }
  const { item } = value
  return (
    <>
      <ImageHead id={id} value={value} work={work?.name ?? 'the attack'} />
      <Shots id={id} item={item} isLarge />
      <p class="remark">{changeText(item)}</p>
      <Tiles
        tiles={[
          {
            name: 'First fooled after',
            value: item.firstQueries === undefined ? '–' : queriesText(item.firstQueries),
          },
          { name: 'Queries in all', value: wholeText(item.queries), note: value.methods.join(', ') || undefined },
          changeTile('Change, l₂', item.l2, item),
          changeTile('Change, l∞', item.linf, item),
        ]}
      />
      {value.curve !== undefined && value.curve.queries.length > 1 && <Course detail={value} />}
    </>
  )
}

function changeTile(name: string, length: number | undefined, item: ItemRow): TileData {
  return { name, value: lengthText(length), note: length === undefined ? undefined : measuredOn(item) }
}

/** What the image is, what became of it, and the way to the others. */
function ImageHead({ id, value, work }: { readonly id: string; readonly value: ItemDetail; readonly work: string }) {
  const { item, previous, next } = value
  const { word, look } = itemStatus(item)
  return (
    <header class="head">
      <nav aria-label="Where this is">
        <a href="#/">Jobs</a> / <a href={jobHref(id)}>{work}</a>
      </nav>
      <h1>{imageName(item)}</h1>
      {numberText(item) !== '' && <p class="remark">{numberText(item)}</p>}
      <p class="about">
        <Badge word={word} look={look} />
        <span>{sentence(value)}</span>
      </p>
      <div class="controls">
        {previous !== undefined && (
          <a class="button" href={imageHref(id, previous)}>
            ← Previous
          </a>
        )}
        {next !== undefined && (
          <a class="button" href={imageHref(id, next)}>
            Next →
          </a>
        )}
        <a class="button" href={jobHref(id)}>
          All images
        </a>
      </div>
    </header>
  )
}

function changeText({ status, pictures, linf }: ItemRow): string {
  if (status === 'robust') return 'There is no picture of a change: none was found that fools the model.'
  return pictures.includes('perturbation')
    ? `In the picture of the change, gray means no change; white and black stand for ± ${lengthText(linf)} of the range of a pixel.`
    : ''
}

function sentence({ item, target }: ItemDetail): string {
  const aim = target === undefined ? '' : ` The attack aimed at ${target}.`
  if (item.status === 'fooled') {
    const saved = item.holdsInBytes === false ? ' Saved as an 8-bit file, the picture no longer fools it.' : ''
    return `The model now says ${afterText(item)}${item.before === undefined ? '' : ` instead of ${item.before}`}.${saved}${aim}`
  }
  if (item.status === 'robust') {
    return `The model still sees ${item.before ?? 'what it saw'} after ${queriesText(item.queries)}.${aim}`
  }
  return item.reason ?? ''
}

/** How the attack went: its loss, and how far the picture was changed. */
function Course({ detail: { item, curve } }: { readonly detail: ItemDetail }) {
  const draw = (view: ChartView): Chart | undefined => {
    if (curve === undefined) return undefined
    const column = (values: readonly (number | null)[]): number[] => values.map((value) => value ?? Number.NaN)
    const lines: ChartLine[] = [
      { label: 'change, l₂', style: { color: 'var(--c1)' }, curve: curveOf(curve.queries, column(curve.l2)) },
      {
        label: 'attack loss (0: fooled)',
        style: { color: 'var(--c2)' },
        curve: curveOf(curve.queries, column(curve.loss)),
      },
    ]
    return convergenceChart(lines, {
      ...view,
      id: 'course',
      title: `The attack on ${imageName(item)}`,
      description: `${wholeText(curve.queries.at(-1))} queries.`,
      xLabel: 'queries',
      yLabel: 'change and attack loss',
      scale: zeroScale(lines.map((line) => line.curve.y)),
    })
  }
  return (
    <Section title="Course">
      <LiveChart version={item.index} caption="How far the picture was changed, and the attack loss" draw={draw} />
    </Section>
  )
}

function useKeys(id: string, value: ItemDetail | undefined): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // A chart that is read by keyboard has its own use for them.
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const to = { ArrowLeft: value?.previous, ArrowRight: value?.next }[event.key]
      if (to !== undefined) location.hash = imageHref(id, to)
      if (event.key === 'Escape') location.hash = jobHref(id)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [id, value])
}
