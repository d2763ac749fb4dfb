export { type CurvePoint, convergenceFigure, type FigureText } from './figure.ts'
export type { RunData, RunEnd, RunTrace } from './run-data.ts'
export { type RunPage, type RunPageOptions, runPage } from './run-page.ts'
export { type Column, shortNumber, textTable } from './table.ts'
