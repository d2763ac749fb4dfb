export { type CurvePoint, convergenceFigure, type FigureText } from './figure.ts'
export { type Column, shortNumber, textTable } from './table.ts'
