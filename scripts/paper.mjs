import { buildPaper } from './build-paper.mjs'

/** The programs of paper/, by the npm script that runs them. */
const programs = new Map([
  ['compare', 'compare-solvers/compare-solvers'],
  ['reproduce', 'reproduction/main'],
  ['theory', 'theory/main'],
])

const [name = ''] = process.argv.splice(2, 1)
await buildPaper()
await import(`../.paper/paper/${programs.get(name)}.js`)
