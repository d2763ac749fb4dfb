import { count, flag, noted, option, optional } from '../../core/options.ts'
import { json, text, that, union } from '../../core/schema.ts'
import { urlObject } from '../../remote/url-object.ts'

const filled = that(text, (value) => value !== '', 'must not be empty')

/** What says which function of which module is meant, here and in threads. */
export const moduleOptions = {
  dim: count('number of variables'),
  module: option(
    union(noted(filled, { path: true }), urlObject),
    'the JavaScript module: a path from the current folder (in a spec, from its own), or a file: or data: URL',
  ),
  export: option(filled, 'the name of the exported function', 'default'),
  batched: flag('the function takes a list of points and returns a list of numbers', false),
  data: optional(json, 'given to the function setup, if the module exports one, before the first query'),
}
