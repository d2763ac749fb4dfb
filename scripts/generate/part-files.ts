import * as attacks from '../../src/attacks/registry.ts'
import type { Table } from '../../src/core/option-type.ts'
import * as models from '../../src/models/registry.ts'
import * as objectives from '../../src/objectives/registry.ts'
import * as library from '../../src/parts.ts'
import { attackSchema } from '../../src/spec/attack/attack-schema.ts'
import { specSchema } from '../../src/spec/json-schema.ts'
import { interfaceFile, interfaceName, type OptionSource } from './option-interfaces.ts'
import { pageFiles } from './pages.ts'
import { tableInterfaces } from './table-interfaces.ts'

/** A part as its file declares it, by its exported name. */
interface FoundPart {
  readonly name: string
  readonly kind: string
  readonly file: string
  readonly hasOptions: boolean
}

/** The folders of the kinds that have a registry of their own. */
const boxFolders: Readonly<Record<string, string>> = { objective: 'objectives/', model: 'models/', attack: 'attacks/' }

/** All that follows from the definitions of the parts, by path; `read` gives the text of a page as it is. */
export function partFiles(parts: readonly FoundPart[], read: (path: string) => string): Map<string, string> {
  return new Map([
    ...tableInterfaces(),
    ...partInterfaces(parts.filter(({ hasOptions }) => hasOptions)),
    ['schema/zeroth.schema.json', `${JSON.stringify(specSchema(), null, 2)}\n`],
    ['schema/attack.schema.json', `${JSON.stringify(attackSchema(), null, 2)}\n`],
    ...pageFiles(read),
  ])
}

function partInterfaces(parts: readonly FoundPart[]): [string, string][] {
  const folderOf = ({ kind }: FoundPart): string => boxFolders[kind] ?? ''
  return [...new Set(parts.map(folderOf))].map((folder) => {
    const path = `src/${folder}part-options.ts`
    const own = parts.filter((part) => folderOf(part) === folder)
    return [path, interfaceFile(path, own.map(partSource))]
  })
}

function partSource({ name, file }: FoundPart): OptionSource {
  const exported: Readonly<Record<string, unknown>> = { ...library, ...objectives, ...models, ...attacks }
  const { definition } = exported[name] as { definition: { options: Table } }
  if (!('about' in definition.options)) throw new Error(`src/${file}: declare the options of ${name} with table()`)
  return {
    name: interfaceName(`${name}Options`),
    owner: name,
    table: definition.options,
    input: `Given<typeof ${name}>`,
    typeOf: name,
    from: `src/${file}`,
  }
}
