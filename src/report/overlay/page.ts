import type { ChartData } from '../chart/chart-data.ts'
import { chartOverlay } from './chart-overlay.ts'
import { largePictures } from './large-pictures.ts'

// The script of a report: npm run gen puts it, with all it imports, into src/report/page/page-script.ts.

for (const figure of document.querySelectorAll('.chart')) {
  const [plot, data] = [figure.querySelector('.plot'), figure.querySelector('script')]
  if (plot && data) chartOverlay(plot as HTMLElement, JSON.parse(data.text) as ChartData)
}
largePictures()
