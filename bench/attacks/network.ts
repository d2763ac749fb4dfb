import { existsSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { compileAttack, openAttack } from '../../src/app/spec/attack/index.ts'
import type { Dataset } from '../../src/robustness/images/index.ts'
import { type ScreenedImage, screenImages } from '../../src/robustness/index.ts'
import type { Images, Model } from '../../src/robustness/models/index.ts'
import { root } from '../root.ts'
import type { Cell, Split } from './cells.ts'

/** Networks that the user gives, by name: an ONNX file or a file that describes a model, as `--model` takes it. */
export interface GivenNetworks {
  readonly resnet8?: string | undefined
  readonly imagenet?: string | undefined
  readonly inception?: string | undefined
  /** Further networks, separated by commas: each has the cells of `cellsOfNetworks`, under the name of its file. */
  readonly network?: string | undefined
  /** A folder of ImageNet images with labels.csv. */
  readonly images?: string | undefined
}

/** The files behind `--network` by their names without an ending. */
export function networksByName({ network = '' }: GivenNetworks): ReadonlyMap<string, string> {
  const files = network.split(',').filter((each) => each !== '')
  return new Map(files.map((file) => [basename(file, extname(file)), file]))
}

/** A network at work, its images, and where they come from. */
export interface Network {
  readonly model: Model
  readonly dataset: Dataset
  /** The model and the images as an attack spec says them. */
  readonly spec: { readonly model: string; readonly images: string }
  /** The ONNX file. */
  readonly file: string | undefined
}

/** The model and the images of a cell, or why they are not there. */
export function networkSpec(
  { network }: Pick<Cell, 'network'>,
  given: GivenNetworks,
): Network['spec'] | { readonly missing: string } {
  if (network === 'digits' || network === 'cifar10') return { model: network, images: network }
  const model = networksByName(given).get(network) ?? given[network as keyof GivenNetworks]
  if (model === undefined) return { missing: `no network given: --${network} or ${variableOf(network)}` }
  if (!existsSync(model)) return { missing: `there is no file ${model}` }
  if (network === 'resnet8') return { model, images: 'cifar10' }
  if (given.images === undefined) return { missing: `no images given: --images or ${variableOf('images')}` }
  return { model, images: given.images }
}

/** The environment variable that gives a network where no option does. */
function variableOf(name: string): string {
  return `ZEROTH_BENCH_${name.toUpperCase()}`
}

/** What options and, where they are silent, environment variables give. */
export function givenNetworks(options: GivenNetworks): GivenNetworks {
  const names = ['resnet8', 'imagenet', 'inception', 'network', 'images'] as const
  return Object.fromEntries(names.map((name) => [name, options[name] ?? process.env[variableOf(name)]]))
}

/** Opens a network and its images. The caller closes the model. */
export async function openNetwork(spec: Network['spec']): Promise<Network> {
  const compiled = await compileAttack({ ...spec, batch: 64 })
  const { model, dataset, resolved } = await openAttack(compiled)
  return { model, dataset, spec, file: fileOf(resolved.model as { name: string; file?: string }) }
}

function fileOf({ name, file }: { readonly name: string; readonly file?: string }): string | undefined {
  const embedded = join(root, 'assets', name, 'model.onnx')
  return file ?? (existsSync(embedded) ? embedded : undefined)
}

/** The first images that the network classifies correctly, among those of the cell's split. */
export async function chosenImages(
  { model, dataset }: Pick<Network, 'model' | 'dataset'>,
  cell: Cell,
  count: number,
): Promise<ScreenedImage[]> {
  const target = cell.kind === 'targeted' ? 'next' : undefined
  const wanted = Math.min(count, cell.images)
  let screened: ScreenedImage[] = []
  let chosen: ScreenedImage[] = []
  for (let goal = wanted; ; goal += wanted - chosen.length) {
    const before = screened.length
    screened = await screenImages(model, dataset, { count: goal, target, screened })
    chosen = screened.filter(({ status, index }) => status === 'attacked' && isOf(cell.split, index))
    if (chosen.length >= wanted || screened.length === before) return chosen.slice(0, wanted)
  }
}

/** Whether an image is one of a split: they take turns. */
function isOf(split: Split | undefined, index: number): boolean {
  return split === undefined || (split === 'judging') === (index % 2 === 0)
}

/** The scores of rows of pixels. */
export async function scoresOf(model: Model, pixels: Float32Array, rows: number): Promise<Float32Array> {
  const scores = new Float32Array(rows * model.classes).fill(Number.NaN)
  await model.predict(imagesOf(pixels, rows), scores)
  return scores
}

/** Rows of pixels as images. */
export function imagesOf(pixels: Float32Array, rows: number): Images {
  const dim = pixels.length / rows
  return {
    rows,
    write: (row, into, offset = 0) => into.set(pixels.subarray(row * dim, (row + 1) * dim), offset),
  }
}
