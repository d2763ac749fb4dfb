import { knowAllParts } from '../../src/app/spec/all-parts.ts'
import { attackSchema } from './attack-schema.ts'
import { specSchema } from './json-schema.ts'
import { pageFiles } from './pages.ts'

/** All that follows from the definitions of the parts, by path; `read` gives the text of a page as it is. */
export function partFiles(read: (path: string) => string): Map<string, string> {
  knowAllParts()
  return new Map([
    ['schema/zeroth.schema.json', `${JSON.stringify(specSchema(), null, 2)}\n`],
    ['schema/attack.schema.json', `${JSON.stringify(attackSchema(), null, 2)}\n`],
    ...pageFiles(read),
  ])
}
