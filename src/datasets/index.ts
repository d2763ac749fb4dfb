export type { Dataset, Image } from './dataset.ts'
