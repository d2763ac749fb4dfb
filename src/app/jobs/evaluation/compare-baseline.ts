import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ZerothError } from '../../../index.ts'
import { Issue, listOf, number, oneOf, optional, table, text } from '../../../optimizer/core/options.ts'
import type { AttackLimits, BaselineComparison, LimitComparison, Outcome } from '../../../robustness/index.ts'
import { layout, readJson, writeJson } from './attack-files.ts'
import { type Baseline, baselineOf, comparableSettings, refuseDifferences, settingDifferences } from './baseline.ts'
import type { StoredAttack } from './status.ts'

/** Images of both that differ at most, before they are no longer named. */
const mostNamed = 3

/** Compares an evaluation with a baseline; settings or images that differ are refused. */
export function compareBaseline(
  before: Baseline,
  attack: Pick<StoredAttack, 'record' | 'report'>,
  { file, tolerance }: { readonly file: string; readonly tolerance: number },
): BaselineComparison {
  const { record } = attack
  const now = baselineOf(attack)
  refuseDifferences(settingDifferences(before, comparableSettings(record.spec, record.rateSource)), file)
  const known = new Map(before.images.map((image) => [image.index, image]))
  const pairs = now.images.flatMap((image) => {
    const old = known.get(image.index)
    return old === undefined ? [] : [{ old, image }]
  })
  refuseDifferences(imageDifferences(pairs), file)
  const isMeasured = ({ old }: (typeof pairs)[number]): boolean => !old.outcomes.includes('unmeasured')
  if (!pairs.some(isMeasured)) refuseDifferences(['no image that it measured is in both'], file)
  const limits = now.limits.map((limit, i) =>
    compareLimit(
      limit,
      pairs.map(({ old, image }) => pairOf(old, image, i)),
      tolerance,
    ),
  )
  const kind = (['worse', 'unjudged'] as const).find((each) => limits.some((limit) => limit.kind === each)) ?? 'met'
  return { baseline: file, kind, tolerance, images: pairs.length, limits }
}

type Image = Baseline['images'][number]

function imageDifferences(pairs: readonly { readonly old: Image; readonly image: Image }[]): string[] {
  const odd = pairs.filter(({ old, image }) => old.title !== image.title || old.label !== image.label)
  const named = odd.slice(0, mostNamed).map(({ old, image }) => {
    return `image ${image.index} is ${image.title} (class ${image.label}), was ${old.title} (class ${old.label})`
  })
  return odd.length > mostNamed ? [...named, `${odd.length - mostNamed} more images`] : named
}

interface Pair {
  readonly index: number
  readonly title: string
  readonly before: Outcome
  readonly now: Outcome
}

function pairOf(old: Image, { index, title, outcomes }: Image, limit: number): Pair {
  return { index, title, before: old.outcomes[limit] ?? 'unmeasured', now: outcomes[limit] ?? 'unmeasured' }
}

function compareLimit(limit: AttackLimits, all: readonly Pair[], tolerance: number): LimitComparison {
  // What the baseline did not measure says nothing about a change.
  const pairs = all.filter(({ before }) => before !== 'unmeasured')
  const count = (is: (pair: Pair) => boolean): number => pairs.filter(is).length
  const stood = count(({ now }) => now === 'robust')
  const unmeasured = count(({ now }) => now === 'unmeasured')
  const before = count((pair) => pair.before === 'robust') / pairs.length
  // Rounding must not decide about a difference that is exactly the tolerance.
  const least = before - tolerance - 1e-9
  const kind =
    (stood + unmeasured) / pairs.length < least ? 'worse' : stood / pairs.length >= least ? 'met' : 'unjudged'
  const regressions = pairs.flatMap(({ index, title, before, now }) =>
    before === 'robust' && now !== 'robust' && now !== 'unmeasured' ? [{ index, title, now }] : [],
  )
  const improved = count((pair) => pair.before !== 'robust' && pair.now === 'robust')
  return { ...limit, kind, before, now: stood / pairs.length, unmeasured, regressions, improved }
}

const kind = oneOf('met', 'worse', 'unjudged')

const stored = table({
  baseline: text,
  kind,
  tolerance: number,
  images: number,
  limits: listOf(
    table({
      linf: optional(number),
      l2: optional(number),
      kind,
      before: number,
      now: number,
      unmeasured: number,
      regressions: listOf(
        table({
          index: number,
          title: text,
          now: oneOf('robust', 'fooled', 'misclassified', 'unmeasured'),
        }),
      ),
      improved: number,
    }),
  ),
})

/** Keeps a comparison beside the evaluation, whose page then shows it. */
export function keepComparison(folder: string, comparison: BaselineComparison): void {
  const file = join(folder, layout.baseline)
  if (JSON.stringify(readComparison(folder)) === JSON.stringify(stored.read(comparison))) return
  writeJson(file, comparison)
  rmSync(join(folder, layout.page), { force: true })
}

/** The comparison that was kept; undefined where there is none. */
export function readComparison(folder: string): BaselineComparison | undefined {
  const file = join(folder, layout.baseline)
  if (!existsSync(file)) return undefined
  const found = stored.read(readJson(file))
  if (!(found instanceof Issue)) return found
  throw new ZerothError('invalid-run', `${file} is damaged: delete it, or give --baseline again`)
}
