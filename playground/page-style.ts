import { pageCss } from '../src/app/report/page/elements.ts'
import own from './style.css?raw'

/** The style of the page: that of reports, and what only the playground has. */
export const style: string = pageCss + own
