import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Dataset, folderDataset } from '../../../robustness/images/index.ts'
import { wholeSpec } from '../place.ts'
import { namedImages, numberedClasses } from './attack-images.ts'
import { compileAttack } from './compile-attack.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-names-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const place = wholeSpec()
const own = { model: { name: 'onnx' } }

async function labelled(...labels: readonly string[]): Promise<Dataset> {
  const images = join(folder, labels.join('-'))
  mkdirSync(images, { recursive: true })
  for (const i of labels.keys()) writeFileSync(join(images, `${i}.png`), '')
  writeFileSync(join(images, 'labels.csv'), `file,label\n${labels.map((label, i) => `${i}.png,${label}\n`).join('')}`)
  return folderDataset({ folder: images })
}

test('a file of names is a list in the resolved spec', async () => {
  writeFileSync(join(folder, 'names.csv'), 'index,name\n1,b\n2,a\n')
  const { resolved } = await compileAttack({ model: 'digits', classNames: 'names.csv' }, { folder })
  expect(resolved.classNames).toEqual(['b', 'a'])
})

test('names beside the numbers of a table are those of the classes that it has; others have none', async () => {
  const images = join(folder, 'beside')
  mkdirSync(images)
  for (const i of [0, 1]) writeFileSync(join(images, `${i}.png`), '')
  writeFileSync(join(images, 'labels.csv'), 'file,label,name\n0.png,3,hen\n1.png,1,"tench, Tinca tinca"\n')
  const dataset = await folderDataset({ folder: images })
  const named = namedImages(dataset, own, 5, place)
  expect(named.classNames).toEqual(['', 'tench, Tinca tinca', '', 'hen', ''])
  expect([0, 1].map((index) => named.label(index))).toEqual([3, 1])
  expect(numberedClasses({ class: 'tench' }, named.classNames, place)).toEqual({ class: 1 })
  expect(() => numberedClasses({ class: 'cod' }, named.classNames, place)).toThrow(/\(known: tench, Tinca tinca, hen\)/)
  const given = ['a', 'b', 'c', 'd', 'e']
  expect(namedImages(dataset, { ...own, classNames: given }, 5, place).classNames).toEqual(given)
})

test('images labelled by name get the numbers that the names of the classes have', async () => {
  const dataset = await labelled('dog', 'cat', 'Dog')
  const named = namedImages(dataset, { ...own, classNames: ['bird', 'cat', 'dog'] }, 3, place)
  expect([0, 1, 2].map((index) => named.label(index))).toEqual([2, 1, 2])
  expect(named.classNames).toEqual(['bird', 'cat', 'dog'])
  const odd = await labelled('dog', 'fish')
  expect(() => namedImages(odd, { ...own, classNames: ['cat', 'dog'] }, 2, place)).toThrow(
    'spec.images: there is no class "fish"',
  )
})

test('the names of an embedded classifier are known, and number images of some of its classes', async () => {
  const cifar = { model: { name: 'cifar10' } }
  const named = namedImages(await labelled('dog', 'cat'), cifar, 10, place)
  expect([0, 1].map((index) => named.label(index))).toEqual([5, 3])
  expect(namedImages(await labelled('3', '5'), cifar, 10, place).classNames?.[3]).toBe('cat')
})

test('images keep their own names where these are as many as the classes, and lose them where not', async () => {
  const dataset = await labelled('dog', 'cat')
  expect(namedImages(dataset, own, 2, place).classNames).toEqual(['cat', 'dog'])
  expect(namedImages(dataset, own, 3, place).classNames).toBeUndefined()
})

test('another number of names than of classes is refused', async () => {
  const dataset = await labelled('0', '1')
  expect(() => namedImages(dataset, { ...own, classNames: ['a', 'b', 'c'] }, 2, place)).toThrow(
    'spec.classNames has 3 names, but the model has 2 classes',
  )
})

test('classes that are given by name become numbers; a name without names is refused', () => {
  const names = ['bird', 'cat']
  expect(numberedClasses({ class: 'cat', target: 'Bird' }, names, place)).toEqual({ class: 1, target: 0 })
  expect(numberedClasses({ target: 'next' }, names, place)).toEqual({ target: 'next' })
  expect(() => numberedClasses({ target: 'cat' }, undefined, place)).toThrow(
    'spec.target must be the number of a class or next, got cat: the classes have no names, give them with classNames',
  )
})
