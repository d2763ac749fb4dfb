import { expect, test } from 'vitest'
import { encodePng } from '../../../src/robustness/images/index.ts'
import { type ImageRecord, summarizeAttack } from '../../../src/robustness/index.ts'

import { imageRecord } from '../../../test/attacks/image-record.ts'
import type { Results } from './experiment.ts'
import { figA2 } from './fig-a2.ts'
import { planOf } from './plan.ts'

const none = () => undefined
const shape = { channels: 1, height: 1, width: 1 }
const saved = (predicted: number) => ({ l2sq: 1, l2: 1, linf: 1, predicted, from: 'final' as const })

test('the examples are first those that fool the model as they are shown, then those that did before they were rounded', () => {
  const images: ImageRecord[] = [
    imageRecord({ index: 0, label: 0, status: 'robust', success8bit: false, saved: saved(0) }),
    imageRecord({ index: 1, label: 1, status: 'fooled', success8bit: false, saved: saved(1) }),
    imageRecord({ index: 2, label: 2, status: 'fooled', success8bit: true, saved: saved(9) }),
  ]
  const summary = summarizeAttack(images, { lambda: 10, kappa: 0 })
  const results: Results = {
    report: () => ({ summary, images, universal: null, warnings: [] }),
    snapshot: none,
    picture: () => encodePng({ shape, pixels: Float32Array.of(0.5) }),
    shape: () => shape,
    classNames: none,
  }
  const [figure] = figA2.draw(planOf({ scale: 'quick', profile: 'paper' }), results).figures ?? []
  const text = JSON.stringify(figure?.chart)
  expect([...text.matchAll(/class \d → class \d/g)].slice(0, 3).map(([found]) => found)).toEqual([
    'class 2 → class 9',
    'class 1 → class 1',
    'class 0 → class 0',
  ])
})
