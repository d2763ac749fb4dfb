import * as attacks from '../../src/attacks/registry.ts'
import type { Table } from '../../src/core/option-type.ts'
import type { PartKind } from '../../src/core/part.ts'
import * as models from '../../src/models/registry.ts'
import * as objectives from '../../src/objectives/registry.ts'
import * as library from '../../src/parts.ts'
import { describedMinimize } from '../../src/run/minimize-sentences.ts'
import { knownParts } from '../../src/spec/known-parts.ts'
import { folderTable } from './folders.ts'
import { markdownTable, withSection } from './markdown.ts'
import { standardText, takesText } from './option-text.ts'

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
    optionTable(describedMinimize),
    ...sections,
  ].join('\n\n')}\n`
}

function partSection([name, { definition }]: [string, { definition: Definition }]): string {
  const { summary, options } = definition
  const written = definition.name === name ? '' : ` In a spec: \`${definition.name}\`.`
  const table = Object.keys(options.shape).length === 0 ? 'No options.' : optionTable(options)
  return `### \`${name}\`\n\n${summary}${written}\n\n${table}`
}

function optionTable({ shape }: Table): string {
  const rows = Object.entries(shape).map(([name, option]) => {
    const standard = standardText(option)
    const ifLeftOut = option.optional === true ? '' : 'required'
    return [
      `\`${name}\``,
      takesText(option),
      standard === undefined ? ifLeftOut : `\`${standard}\``,
      option.sentence ?? '',
    ]
  })
  return markdownTable(['option', 'takes', 'default', 'meaning'], rows)
}

function ofKind(kind: PartKind): [string, { definition: Definition }][] {
  return definitions.filter(([, { definition }]) => definition.kind === kind)
}

function isPart(entry: [string, unknown]): entry is [string, { definition: Definition }] {
  return typeof entry[1] === 'function' && 'definition' in entry[1]
}
