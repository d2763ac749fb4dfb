import { shortened } from '../number-text.ts'

/** A setting of a spec: how it reads, and all of it for comparisons. */
export interface Setting {
  readonly text: string
  readonly exact: string
}

/** The settings of a spec by their path, such as `solver.learningRate`. */
export type Settings = ReadonlyMap<string, Setting>

const deepest = 6
const longestText = 160
const shownEntries = 6

/** A spec as a flat list, in its own order. */
export function settingsOf(spec: object): Settings {
  return new Map(flat('', spec, 0))
}

/** The paths at which settings differ, in the order in which they first occur. */
export function differingPaths(all: readonly Settings[]): string[] {
  const paths = new Set(all.flatMap((settings) => [...settings.keys()]))
  return [...paths].filter((path) => new Set(all.map((settings) => settings.get(path)?.exact)).size > 1)
}

function flat(path: string, value: unknown, depth: number): [string, Setting][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || depth >= deepest) {
    return [[path, { text: settingText(value), exact: json(value) }]]
  }
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  if (entries.length === 0 && path !== '') return [[path, { text: 'none', exact: '{}' }]]
  return entries.flatMap(([key, each]) => flat(path === '' ? key : `${path}.${key}`, each, depth + 1))
}

/** A value of a spec as it reads in a table. */
export function settingText(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return shortened(value === '' ? '(empty)' : value, longestText)
  if (!Array.isArray(value)) return shortened(json(value), longestText)
  if (value.length > shownEntries && value.every((each) => Object.is(each, value[0]))) {
    return `${value.length} times ${settingText(value[0])}`
  }
  const texts = value.slice(0, shownEntries).map(settingText)
  const rest = value.length > shownEntries ? `, … (${value.length} in all)` : ''
  return shortened(`${texts.join(', ')}${rest}`, longestText)
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
