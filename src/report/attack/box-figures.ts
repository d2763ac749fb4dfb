import type { Box } from '../chart/box.ts'
import { type BoxSeries, type BoxText, boxChart, drawnValues } from '../chart/box-chart.ts'
import { valueScale, zeroScale } from '../chart/value-scale.ts'
import type { Figure } from '../page/figure-markup.ts'
import { distinctStyles } from '../palette.ts'
import type { AttackRun, Panel } from './attack-run.ts'
import { distanceText } from './dashed.ts'

/** What figures of boxes say, and how they are drawn. */
export interface BoxFigureText extends Pick<BoxText, 'places' | 'dots' | 'xLabel' | 'yLabel' | 'title'> {
  readonly file: string
  /** On an even axis that shows 0, whatever the values; otherwise the values decide. */
  readonly linear: boolean
}

/** A box per evaluation and place, a figure per panel, all with the same axes; none where there is nothing to draw. */
export function boxFigures(
  panels: readonly Panel[],
  boxes: (run: AttackRun) => readonly (Box | undefined)[],
  text: BoxFigureText,
): Figure[] {
  const drawn = panels
    .map((panel) => ({ panel, series: panel.runs.flatMap((run) => seriesOf(run, boxes(run))) }))
    .filter(({ series }) => series.length > 0)
  const values = drawnValues(
    drawn.flatMap(({ series }) => series),
    text.dots,
  )
  if (values.length === 0) return []
  const scale = text.linear ? zeroScale(values) : valueScale(values)
  return drawn.map(({ panel, series }) => {
    const caption = panel.title === '' ? text.title : `${text.title}, ${panel.title}`
    const file = `${text.file}${panel.suffix}`
    const others = series.length > distinctStyles ? `${series.length - distinctStyles} more` : undefined
    const description = descriptionOf(series, text.places)
    return { file, caption, chart: boxChart(series, { ...text, id: file, title: caption, description, others, scale }) }
  })
}

function seriesOf({ name, style }: AttackRun, boxes: readonly (Box | undefined)[]): BoxSeries[] {
  return boxes.some((box) => box !== undefined) ? [{ label: name, style, boxes }] : []
}

function descriptionOf(series: readonly BoxSeries[], places: readonly string[]): string {
  const sentences = series.slice(0, distinctStyles).map(({ label, boxes }) => {
    const medians = boxes.flatMap((box, i) =>
      box === undefined ? [] : [`${distanceText(box.median)} at ${places[i] ?? ''}`],
    )
    return `${label}: medians ${medians.join(', ')}.`
  })
  return sentences.join(' ')
}
