import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { AutoSearch } from './auto-search.ts'
import { scaleOption } from './scale-option.ts'

/** Looks at the problem, chooses a method for it, and hands over to the next when it has done its work. */
export const auto = definePart({
  kind: 'solver',
  name: 'auto',
  summary: 'Chooses the methods for the problem at hand, one after the other.',
  options: table({ scale: scaleOption }),
  examples: () => [{}],
  make: (settings): Solver => ({
    begin: (at) => new AutoSearch(at, settings),
    resume: (at, saved) => new AutoSearch(at, settings, saved),
  }),
})
