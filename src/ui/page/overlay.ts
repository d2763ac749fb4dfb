import type { ChartData } from '../../report/chart/chart-data.ts'
export interface ChartOverlay {
  readonly update: (data: ChartData) => void
  readonly isDragged: () => boolean
}
export function chartOverlay(_plot: HTMLElement, _data: ChartData): ChartOverlay {
  return { update: () => undefined, isDragged: () => false }
}
