/**
 * What charts are drawn with. The published package holds this one file with all that it imports, so that nobody installs
 * the sixty packages behind it: see tsdown.config.ts.
 */
export * as Plot from '@observablehq/plot'
export { parseHTML } from 'linkedom'
