/**
 * What charts are drawn with. The published package holds this file with all that it imports, so that the packages behind it
 * need not be installed: see tsdown.plotting.config.ts.
 */
export * as Plot from '@observablehq/plot'
