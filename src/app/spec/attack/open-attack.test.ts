import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/servers/server.ts'
import { encodePng } from '../../../robustness/images/index.ts'
import { compileAttack } from './compile-attack.ts'
import { openAttack, robustnessOf } from './open-attack.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-open-attack-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shape = { channels: 1, height: 2, width: 2 }
const linear = {
  name: 'linear',
  shape,
  weights: [
    [1, 2, 3, 4],
    [4, 3, 2, 1],
  ],
}

/** A folder of grey images with these sides, all of one class. */
function pictures(name: string, sides: readonly number[]): string {
  const place = mkdtempSync(join(folder, name))
  sides.forEach((side, i) => {
    const picture = { shape: { channels: 1, height: side, width: side }, pixels: new Float32Array(side * side) }
    writeFileSync(join(place, `${i}.png`), encodePng(picture))
  })
  writeFileSync(join(place, 'labels.csv'), `file,label\n${sides.map((_, i) => `${i}.png,0`).join('\n')}\n`)
  return place
}

describe('the learning rate', () => {
  test.each([
    [{ model: 'digits' }, /^none$/, false],
    [{ model: 'digits', solver: 'zo-adamm' }, /^tuned for digits$/, true],
    [{ model: 'digits', problem: 'unconstrained', solver: 'zo-sgd' }, /^tuned for digits$/, true],
    [{ model: 'digits', solver: 'zo-adamm', learningRate: 7 }, /^given$/, true],
    [{ model: 'digits', solver: 'zo-radazo' }, /^left to zo-radazo itself/, false],
    [{ model: linear, solver: 'zo-adamm', images: pictures('rate', [2]) }, /^for 4 pixel values/, true],
  ])('of %j', async (spec, source, isWritten) => {
    const { model, resolved, rateSource } = await openAttack(await compileAttack(spec))
    await model.close()
    expect(rateSource).toMatch(source)
    expect('learningRate' in (resolved.solver as object)).toBe(isWritten)
    if (isWritten) expect(resolved.solver).toHaveProperty('learningRate.decay', 'sqrt')
    if ('learningRate' in spec) expect(resolved.solver).toHaveProperty('learningRate.value', spec.learningRate)
    expect(await robustnessOf(resolved)).toMatchObject({ maxQueries: 11001, seed: 0, failures: 'skip' })
  })
})

describe('images of a folder', () => {
  test('are taken as they are where some have the size of the model, otherwise covered and cropped', async () => {
    for (const [sides, resize] of [
      [[3, 2, 5], 'none'],
      [[3, 5], 'imagenet'],
    ] as const) {
      const { dataset, resolved } = await openAttack(
        await compileAttack({ model: linear, images: pictures('size', sides) }),
      )
      expect(resolved.images).toMatchObject({ folder: { channels: 1, size: { height: 2, width: 2 }, resize } })
      const read = await Promise.allSettled(sides.map((_, i) => dataset.read(i)))
      expect(read.map(({ status }) => status === 'fulfilled')).toEqual(
        sides.map((side) => resize !== 'none' || side === 2),
      )
    }
  })

  test('of which none has a class are refused, and one with a class is enough', async () => {
    const images = pictures('unlabelled', [2, 2])
    const spec = { model: linear, images }
    rmSync(join(images, 'labels.csv'))
    await expect(openAttack(await compileAttack(spec))).rejects.toThrow(
      `spec.images: no class of the images of ${images} is known: put them into a folder for each class, or add a table`,
    )
    writeFileSync(join(images, 'labels.csv'), 'file,label\n0.png,\n1.png,1\n')
    const { dataset } = await openAttack(await compileAttack(spec))
    expect([dataset.label(0), dataset.label(1)]).toEqual([undefined, 1])
  })

  test('that are all of another size are refused, and so is a target that is no class', async () => {
    await expect(openAttack(await compileAttack({ model: 'digits', images: 'cifar10' }))).rejects.toThrow(
      'spec.images: cifar10, held-out (130 of 170 images) has images of 3 x 32 x 32, but the model takes 1 x 28 x 28',
    )
    await expect(openAttack(await compileAttack({ model: 'digits', target: 10 }))).rejects.toThrow(
      'spec.target must be a class of the model, from 0 to 9, got 10',
    )
  })
})

describe('images of one class', () => {
  test('are the only ones there, and a spec without a class has no such key', async () => {
    const all = await openAttack(await compileAttack({ model: 'digits' }))
    const fours = await openAttack(await compileAttack({ model: 'digits', class: 4 }))
    await Promise.all([all.model.close(), fours.model.close()])
    const titles = ({ dataset: { count, label, title } }: typeof all, wanted?: number) =>
      Array.from({ length: count }, (_, i) => i).flatMap((i) =>
        wanted === undefined || label(i) === wanted ? [title(i)] : [],
      )
    expect(fours.dataset.count).toBeGreaterThan(5)
    expect(titles(fours)).toEqual(titles(all, 4))
    expect(fours.dataset.name).toMatch(/^digits.*, class 4$/)
    expect(fours.resolved).toMatchObject({ images: 'digits:held-out', class: 4 })
    expect('class' in all.resolved).toBe(false)
  })

  test.each([
    [{ class: 10 }, 'spec.class must be a class of the model, from 0 to 9, got 10'],
    [{ class: 3, target: 3 }, 'spec.class must not be the target: images of class 3 are in it already'],
  ])('%j is refused', async (keys, message) => {
    await expect(openAttack(await compileAttack({ model: 'digits', ...keys }))).rejects.toThrow(message)
  })

  test('that is no number is refused before anything is opened', async () => {
    await expect(compileAttack({ model: 'digits', class: -1 })).rejects.toThrow(/spec\.class .*, got -1/)
    await expect(compileAttack({ model: 'digits', class: '' })).rejects.toThrow('spec.class')
  })
})

test('a service is not asked anything before it is permitted; then no faster than it may be, and again where it was busy', async () => {
  let busy = 1
  const server = await startServer((_, reply) => {
    if (busy-- === 0) return void reply.writeHead(503, { 'retry-after': '0' }).end()
    reply.writeHead(200, { 'content-type': 'application/json' })
    reply.end('{"scores": [1, 2]}')
  })
  try {
    const model = { name: 'http', url: server.url, shape, classes: 2 }
    const spec = { model, images: pictures('served', [2]), rate: 50, jobs: 1 }
    await expect(openAttack(await compileAttack(spec))).rejects.toThrow(
      /say so with --permitted.*docs\/responsible-use\.md/,
    )
    expect(server.requests).toHaveLength(0)
    const opened = await openAttack(await compileAttack({ ...spec, permitted: true }))
    const began = performance.now()
    await opened.model.predict({ rows: 6, write: () => undefined }, new Float64Array(12))
    expect(performance.now() - began).toBeGreaterThan(80)
    // One of them was told to come again.
    expect(server.requests).toHaveLength(7)
    expect(opened.retries()).toBe(1)
    await opened.model.close()
  } finally {
    await server.close()
  }
})

test('a method that cannot begin on images of that size is refused before anything is asked', async () => {
  const basis = { name: 'given-basis', vectors: [[1, 2, 3]] }
  const solver = { name: 'zo-normalized', along: { name: 'subspace', basis } }
  const compiled = await compileAttack({ model: linear, images: pictures('basis', [2]), solver })
  await expect(openAttack(compiled)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringMatching(/3.*4|4.*3/),
  })
})
