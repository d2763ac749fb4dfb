import { countText, percentText, readableNumber } from '../number-text.ts'
import type { ChartAxis } from './chart-data.ts'

/** A value as an axis has it. */
export function axisText({ unit }: Pick<ChartAxis, 'unit'>, value: number): string {
  if (unit === 'percent') return percentText(value)
  return Number.isInteger(value) ? countText(value) : readableNumber(value)
}
