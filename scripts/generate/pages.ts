import * as objectives from '../../src/app/objectives/index.ts'
import { knownParts } from '../../src/app/spec/compile-part.ts'
import type { Table } from '../../src/optimizer/core/options.ts'
import type { PartKind } from '../../src/optimizer/core/part.ts'
import { minimizeOptions } from '../../src/optimizer/minimize/minimize-sync.ts'
import * as library from '../../src/parts.ts'
import * as attacks from '../../src/robustness/index.ts'
import * as models from '../../src/robustness/models/index.ts'
import { folderTable } from './folders.ts'
import { markdownTable, withSection } from './markdown.ts'
import { sentenceOf, standardText, takesText } from './option-text.ts'

interface Definition {
  readonly kind: PartKind
  readonly name: string
  readonly summary: string
  readonly options: Table
}

/** The headings of the page of options, in its order. */
const headings: readonly (readonly [PartKind, string])[] = [
  ['solver', 'Solvers'],
  ['set', 'Sets'],
  ['estimator', 'Estimators'],
  ['directions', 'Directions'],
  ['basis', 'Bases'],
  ['step', 'Steps'],
  ['mirror', 'Mirror maps'],
  ['objective', 'Black boxes'],
  ['model', 'Models'],
  ['attack', 'Forms of attacks'],
  ['problem', 'Test problems'],
]

const definitions = Object.entries<unknown>({ ...library, ...objectives, ...models, ...attacks }).filter(isPart)

/** The pages that follow from the parts, by path; `read` gives a page as it is. */
export function pageFiles(read: (path: string) => string): Map<string, string> {
  return new Map([
    ['docs/options.md', optionsPage()],
    ['docs/specs.md', withSection(read('docs/specs.md'), 'parts', namesTable())],
    ['docs/parts.md', withSection(read('docs/parts.md'), 'solvers', summaryTable('solver'))],
    ['CONTRIBUTING.md', withSection(read('CONTRIBUTING.md'), 'folders', folderTable())],
  ])
}

/** The names of all parts that a spec can hold, by kind. */
function namesTable(): string {
  const code = (parts: readonly { definition: Definition }[]): string =>
    parts.map(({ definition }) => `\`${definition.name}\``).join(', ')
  const [problems, boxes] = [true, false].map((isProblem) =>
    knownParts('objective').filter(({ definition }) => (definition.kind === 'problem') === isProblem),
  )
  const kinds = ['solver', 'estimator', 'directions', 'basis', 'step', 'mirror', 'set'] as const
  return markdownTable(
    ['kind', 'names'],
    [
      ['`objective`', `test problems: ${code(problems ?? [])}; black boxes: ${code(boxes ?? [])}`],
      ...kinds.map((kind) => [`\`${kind}\``, code(knownParts(kind))]),
    ],
  )
}

function summaryTable(kind: PartKind): string {
  const rows = ofKind(kind).map(([name, { definition }]) => [
    `\`${name}\``,
    `\`${definition.name}\``,
    definition.summary,
  ])
  return markdownTable([kind, 'in a spec', 'what it does'], rows)
}

function optionsPage(): string {
  const sections = headings.flatMap(([kind, heading]) => [`## ${heading}`, ...ofKind(kind).map(partSection)])
  return `${[
    '# All options',
    'Every part with its options: what each one takes, its default and what it means. Written by `npm run gen`; editors show the\nsame sentences.',
    '## `minimize`',
    optionTable('minimize', minimizeOptions),
    ...sections,
  ].join('\n\n')}\n`
}

function partSection([name, { definition }]: [string, { definition: Definition }]): string {
  const { summary, options } = definition
  const written = definition.name === name ? '' : ` In a spec: \`${definition.name}\`.`
  const table = Object.keys(options.shape).length === 0 ? 'No options.' : optionTable(name, options)
  return `### \`${name}\`\n\n${summary}${written}\n\n${table}`
}

function optionTable(owner: string, { shape }: Table): string {
  const rows = Object.entries(shape).map(([name, option]) => {
    const standard = standardText(option)
    const sentence = sentenceOf(option)
    if (sentence === undefined) throw new Error(`the option ${name} of ${owner} needs a doc comment`)
    const ifLeftOut = option.optional === true ? '' : 'required'
    return [`\`${name}\``, takesText(option), standard === undefined ? ifLeftOut : `\`${standard}\``, sentence]
  })
  return markdownTable(['option', 'takes', 'default', 'meaning'], rows)
}

function ofKind(kind: PartKind): [string, { definition: Definition }][] {
  return definitions.filter(([, { definition }]) => definition.kind === kind)
}

function isPart(entry: [string, unknown]): entry is [string, { definition: Definition }] {
  return typeof entry[1] === 'function' && 'definition' in entry[1]
}
