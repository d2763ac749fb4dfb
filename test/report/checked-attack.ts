import { type BaselineComparison, type ImageRecord, summarizeAttack } from '../../src/robustness/index.ts'
import { attackRecord } from '../attacks/attack-record.ts'
import { imageRecord } from '../attacks/image-record.ts'

const hostile = `]]><a href="x">&'|\`@me\x00\x1b[31m\ud800\n::error::<script>.png`
const none = { first: null, best: null, final: null, saved: null, success8bit: null }
const images: readonly ImageRecord[] = [
  imageRecord({ title: hostile }),
  imageRecord({ index: 1, title: 'b.png', status: 'robust', ...none }),
  imageRecord({ index: 2, title: 'c.png', status: 'skipped', reason: 'misclassified', predicted: 4, ...none }),
  imageRecord({ index: 3, title: 'd.png', status: 'failed', reason: 'gone', ...none }),
]

/** A baseline that was better. */
export const comparison: BaselineComparison = {
  baseline: 'base.json',
  kind: 'worse',
  tolerance: 0,
  images: 4,
  limits: [
    {
      kind: 'worse',
      before: 0.5,
      now: 0.25,
      unmeasured: 0,
      regressions: [{ index: 0, title: hostile, now: 'fooled' }],
      improved: 0,
    },
  ],
}

/** An evaluation with an image of each kind, one of them with a hostile title. */
export const checkedAttack = (spec = {}, more = {}) => ({
  folder: 'runs/a',
  record: { ...attackRecord(spec), images: { name: 'digits', available: 130, classNames: ['a', 'b', 'c', 'x|y'] } },
  report: {
    summary: summarizeAttack(images, { lambda: 10, kappa: 0 }),
    images,
    universal: null,
    warnings: ['<b>odd</b>'],
  },
  ...more,
})
