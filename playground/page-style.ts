import { pageStyle } from '../src/app/report/page/page-script.ts'
import { paletteCss } from '../src/app/report/palette.ts'
import own from './style.css?raw'

/** The style of the page: that of reports, and what only the playground has. */
export const style: string = paletteCss(':root') + pageStyle + own
