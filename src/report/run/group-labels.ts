import { shortened } from '../shortened.ts'
import { differingPaths, type Settings } from './settings.ts'

/** Settings that name a group best, where they differ. */
const telling = ['solver.name', 'solver', 'objective.name', 'objective', 'dim']
const longest = 60

/**
 * A label per group from the fewest settings that tell all of them apart, those that say most first. Where that would be
 * long-winded, the given names serve.
 */
export function groupLabels(groups: readonly Settings[], names: readonly string[]): string[] {
  const paths = tellingApart(groups)
  const labels = groups.map((settings) => labelOf(settings, paths))
  const usable = labels.every((label) => label !== '' && label.length <= longest) && allDiffer(labels)
  return usable ? labels : named(groups, names)
}

function tellingApart(groups: readonly Settings[]): string[] {
  const differing = differingPaths(groups)
  const ranked = [
    ...telling.filter((path) => differing.includes(path)),
    ...differing.filter((p) => !telling.includes(p)),
  ]
  let needed = firstEnough(ranked, groups)
  for (const path of needed) {
    const without = needed.filter((each) => each !== path)
    if (!telling.includes(path) && apart(groups, without)) needed = without
  }
  return needed
}

function firstEnough(paths: readonly string[], groups: readonly Settings[]): string[] {
  for (let count = 1; count < paths.length; count++) {
    if (apart(groups, paths.slice(0, count))) return paths.slice(0, count)
  }
  return [...paths]
}

function apart(groups: readonly Settings[], paths: readonly string[]): boolean {
  return allDiffer(groups.map((settings) => JSON.stringify(paths.map((path) => settings.get(path)?.exact ?? null))))
}

function labelOf(settings: Settings, paths: readonly string[]): string {
  return paths
    .flatMap((path) => {
      const text = settings.get(path)?.text
      if (text === undefined) return []
      return /^(solver|objective)(\.name)?$/.test(path) ? [text] : [`${path.replace(/^.*\./, '')} ${text}`]
    })
    .join(', ')
}

/** One group is called after its solver; several that settings cannot tell apart shortly, after their first runs. */
function named(groups: readonly Settings[], names: readonly string[]): string[] {
  const [only] = groups
  const solver = only?.get('solver.name')?.text ?? only?.get('solver')?.text
  if (groups.length === 1 && solver !== undefined) return [shortened(solver, longest)]
  const labels = names.map((name) => shortened(name, longest))
  return allDiffer(labels) ? labels : labels.map((label, i) => `${label} (${i + 1})`)
}

function allDiffer(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}
