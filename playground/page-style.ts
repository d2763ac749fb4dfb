import { pageCss } from '../src/report/page/page-css.ts'
import own from './style.css?raw'

/** The style of the page: that of reports, and what only the playground has. */
export const style: string = pageCss + own
