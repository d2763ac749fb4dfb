import { z } from 'zod'
import { countOption } from '../../core/options.ts'
import { urlObject } from '../../remote/url-object.ts'

const text = z.string().refine((value) => value !== '', 'must not be empty')

/** What says which function of which module is meant, here and in threads. */
export const moduleOptions = {
  dim: countOption.describe('number of variables'),
  module: z
    .union([text.meta({ path: true }), urlObject])
    .describe(
      'the JavaScript module: a path from the current folder (in a spec, from its own), or a file: or data: URL',
    ),
  export: text.default('default').describe('the name of the exported function'),
  batched: z.boolean().default(false).describe('the function takes a list of points and returns a list of numbers'),
  data: z.json().optional().describe('given to the function setup, if the module exports one, before the first query'),
}
