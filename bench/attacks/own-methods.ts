import { zerothVersion } from '../../src/app/provenance/machine.ts'
import { compileAttack, openAttack, robustnessOf } from '../../src/app/spec/attack/index.ts'
import { parts } from '../../src/index.ts'
import { attackScreened, type ImageRecord, type ScreenedImage } from '../../src/robustness/index.ts'
import { endsAtSuccess, limitsOf } from './cells.ts'
import type { Contender, Round } from './contender.ts'
import { openTracker, type Tracker } from './tracker.ts'
import { labelsOnly, watched } from './watched-model.ts'

/** What `zeroth attack` does where no method is named. */
export const ours = 'ours'

/** The method of that name, or undefined if the library has none. */
export function ownMethod(name: string): Contender | undefined {
  const known = (parts.solver as readonly { readonly definition: { readonly name: string } }[]).some(
    ({ definition }) => definition.name === name,
  )
  if (!known && name !== ours) return undefined
  return {
    name,
    own: true,
    version: `zeroth ${zerothVersion()}`,
    kinds: ['linf', 'l2', 'nearest', 'labels', 'targeted'],
    random: true,
    run: (round) => attackRound(name, round),
    close: () => undefined,
  }
}

/** Attacks one image after the other as `zeroth attack` does, while a tracker of its own watches the network. */
async function attackRound(name: string, round: Round): Promise<void> {
  const { cell, images } = round
  const { model, dataset, resolved } = await openAttack(await compileAttack(specOf(name, round)))
  try {
    const pixels = await Promise.all(images.map(async ({ index }) => (await dataset.read(index)).pixels))
    const { store, tracker } = trackingStore(round, pixels)
    const seen = watched(model, tracker)
    const asked = cell.kind === 'labels' ? labelsOnly(seen) : seen
    // What a model with scores said when images were chosen is not what one without says of them later.
    const known = cell.kind === 'labels' ? images.map(({ seen: _, ...image }) => image) : images
    await attackScreened(asked, dataset, known, await robustnessOf(resolved), { parallel: 1, store })
  } finally {
    await model.close()
  }
}

/** A store that is asked for each image right before its attack and told right after it: one image at a time. */
function trackingStore({ cell, images, done }: Round, pixels: readonly Float32Array[]) {
  let tracker: Tracker | undefined
  let began = 0
  return {
    tracker: () => tracker,
    store: {
      known(index: number) {
        const at = images.findIndex((image) => image.index === index)
        const { label, target } = images[at] as ScreenedImage
        const goal = { pixels: pixels[at] as Float32Array, label: label ?? 0, target: target ?? undefined }
        tracker = openTracker({ ...goal, ...limitsOf(cell) }, cell.budget)
        began = performance.now()
        return undefined
      },
      keep(record: ImageRecord) {
        const account = (tracker as Tracker).account()
        tracker = undefined
        done(record.index, { ...account, seconds: (performance.now() - began) / 1000, note: noteOf(record) })
        return record
      },
    },
  }
}

/** What a user would write for a cell. */
function specOf(name: string, { cell, network, seed }: Round) {
  return {
    ...network.spec,
    ...limitsOf(cell),
    ...(name === ours ? {} : { solver: name }),
    ...(cell.kind === 'targeted' ? { target: 'next' } : {}),
    maxQueries: cell.budget,
    earlyStop: endsAtSuccess(cell),
    seed,
  }
}

function noteOf({ status, reason, stopReason }: ImageRecord): string {
  return [status, stopReason, reason].filter((each) => each !== null).join(': ')
}
