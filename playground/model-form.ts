import { percentText } from '../src/app/report/number-text.ts'
import { messageOf } from '../src/optimizer/core/errors.ts'
import type { ImageShape } from '../src/optimizer/core/types.ts'
import {
  coverAndCrop,
  fromBytes,
  imageFormat,
  imageFormats,
  isImageFormat,
  type Samples,
  stretch,
  toRaster,
} from '../src/robustness/images/pixels.ts'

import { usualPreprocessing } from '../src/robustness/models/accuracy.ts'
import type { PreprocessingOption } from '../src/robustness/models/index.ts'
import { sharesOf } from './attack-view.ts'
import { byId, fill } from './dom.ts'
import type { ModelOptions, Tried } from './model-worker.ts'
import { type AttackSettings, attacks } from './state.ts'

/** The controls of the model page: what is said about the network, and how it is attacked. */
export function modelForm(reopen: () => void) {
  const preprocessing = byId('preprocessing', HTMLTextAreaElement)
  const choice = byId('usual', HTMLSelectElement)
  const about = [preprocessing, byId('input', HTMLInputElement), byId('output', HTMLInputElement)] as const
  const limit = byId('limit', HTMLInputElement)
  let isLimitChosen = false
  let reopenedWith = written()

  fill(
    'attack',
    attacks.map((name) => [name, name] as const),
  )
  fill('usual', [
    ...usual.map((each) => [JSON.stringify(each), preprocessingText(each)] as const),
    ['', 'as written below'],
  ])
  restoreSettings()
  for (const form of document.forms) form.onsubmit = (event) => event.preventDefault()
  for (const control of about) control.onchange = show
  choice.onchange = () => choice.value !== '' && feedWith(choice.value)

  /** What is written about the network. */
  function written(): string {
    return about.map(({ value }) => value.trim()).join('\n')
  }

  /** Describes the network by this text. */
  function feedWith(text: string): void {
    preprocessing.value = text
    show()
  }

  function show(): void {
    choice.value = usual.map((each) => JSON.stringify(each)).find((each) => each === preprocessing.value.trim()) ?? ''
    if (written() === reopenedWith) return
    reopenedWith = written()
    reopen()
  }

  /** Where so many classes have names. */
  function options(named: number): ModelOptions {
    const [, input, output] = about.map(({ value }) => value.trim() || undefined)
    try {
      return { preprocessing: JSON.parse(described()), input, output, named }
    } catch (error) {
      throw new Error(`preprocessing is not JSON: ${messageOf(error)}`)
    }
  }

  function described(): string {
    return preprocessing.value.trim() || '{}'
  }

  /** A limit that is usual for such images, unless the reader has chosen one. */
  function suggestLimit({ channels }: ImageShape): void {
    if (!isLimitChosen) limit.value = channels === 1 ? '0.1' : '0.03'
  }

  function settings(): AttackSettings {
    const number = (id: string): number => {
      const input = byId(id, HTMLInputElement)
      if (input.checkValidity()) return input.valueAsNumber
      const named = `"${input.labels?.[0]?.textContent?.trim()}"`
      throw new Error(`${named} must be from ${input.min} to ${input.max}, got ${input.value || 'nothing'}`)
    }
    const { value: attack } = byId('attack', HTMLSelectElement)
    return { attack, limit: number('limit'), queries: number('queries'), seed: number('seed') }
  }

  /** The settings of an attack are in the address, as on the other page. */
  function restoreSettings(): void {
    const given = new URLSearchParams(location.hash.slice(1))
    const inputs = ['limit', 'queries', 'seed'].map((id) => byId(id, HTMLInputElement))
    const controls = [byId('attack', HTMLSelectElement), ...inputs]
    for (const control of controls) {
      const { value: before } = control
      control.value = given.get(control.id) ?? before
      if (!control.checkValidity() || control.value === '') control.value = before
      control.onchange = () => {
        if (control === limit) isLimitChosen = true
        history.replaceState(null, '', `#${new URLSearchParams(controls.map(({ id, value }) => [id, value]))}`)
      }
    }
    isLimitChosen = given.has('limit')
  }

  return {
    options,
    described,
    feedWith,
    settings,
    suggestLimit,
    fit: (): Fit => byId('fit', HTMLSelectElement).value as Fit,
    trueClass: (): string => byId('trueClass', HTMLInputElement).value.trim(),
  }
}

/** What networks are usually fed with; at first what is meant where nothing is said. */
const usual: readonly PreprocessingOption[] = [
  {},
  ...new Map(
    [...usualPreprocessing(3), ...usualPreprocessing(1)].map((each) => [JSON.stringify(each), each] as const),
  ).values(),
]

/** What black and white become, and what is done to that. */
function preprocessingText(said: PreprocessingOption): string {
  if (Object.keys(said).length === 0) return '0 to 1, or bytes if it takes those'
  const { range = [0, 1], mean, std, channelOrder } = said
  const listed = (value: number | readonly number[]): string => [value].flat().join(' ')
  return [
    `${range[0]} to ${range[1]}`,
    ...(mean === undefined ? [] : [`minus ${listed(mean)}`]),
    ...(std === undefined ? [] : [`divided by ${listed(std)}`]),
    ...(channelOrder === undefined ? [] : [channelOrder]),
  ].join(', ')
}

/** A button for each way to feed a network, with what the network then says. */
export function triedButtons(
  tried: readonly Tried[],
  nameOf: (index: number) => string,
  choose: (preprocessing: string) => void,
): HTMLElement[] {
  return tried.map(({ preprocessing, scores }) => {
    const best = scores.indexOf(Math.max(...scores))
    const button = document.createElement('button')
    button.type = 'button'
    const share = percentText(sharesOf(scores)[best] as number)
    button.textContent = `${preprocessingText(preprocessing)}: ${nameOf(best)}, ${share}`
    button.onclick = () => choose(JSON.stringify(preprocessing))
    return button
  })
}

/** How a picture of another size becomes one of the network's. */
export type Fit = 'imagenet' | 'stretch'

/** Which part of the resized image the crop keeps, as on the command line. */
const cropFraction = 0.875

/** Larger ones are refused: the limits of the library. */
const most = { pixels: 50_000_000, bytes: 464_000_000 }

/** Decodes a picture, upright, by what the browser has for that. */
export async function decodePicture(file: File): Promise<Samples> {
  if (file.size > most.bytes) {
    throw new Error(`${file.name} has ${file.size} bytes: pictures of at most ${most.bytes} bytes are read`)
  }
  const format = imageFormat(new Uint8Array(await file.arrayBuffer()))
  if (!isImageFormat(format)) {
    const allowed = `allowed are ${imageFormats.join(', ')}`
    throw new Error(`${file.name} is not an image that can be read: found ${format}, ${allowed}`)
  }
  // Colour profiles are ignored, as the loaders do that networks were trained with.
  const decoding = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' } as const
  const bitmap = await createImageBitmap(file, decoding).catch(() => undefined)
  if (bitmap === undefined) throw new Error(`${file.name}: the ${format} image is damaged, or too large to decode`)
  const { width, height } = bitmap
  if (width * height > most.pixels) {
    const size = `${width} x ${height} = ${width * height}`
    throw new Error(`${file.name} has ${size} pixels: at most ${most.pixels} are allowed`)
  }
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error(`${file.name}: this browser gives no canvas to decode it on`)
  context.drawImage(bitmap, 0, 0)
  bitmap.close()
  const { data } = context.getImageData(0, 0, width, height)
  return { shape: { channels: 4, height, width }, values: new Uint8Array(data.buffer) }
}

/** The pixels of a picture in the shape that a network takes: as they are where the size is right. */
export function pixelsFor(samples: Samples, { channels, height, width }: ImageShape, fit: Fit): Float32Array {
  if (channels !== 1 && channels !== 3) {
    throw new Error(`the network takes images of ${channels} channels: pictures have 1 or 3`)
  }
  const raster = toRaster(samples, channels)
  const hasSize = raster.shape.height === height && raster.shape.width === width
  const size = { height, width }
  const sized = hasSize ? raster : fit === 'stretch' ? stretch(raster, size) : coverAndCrop(raster, size, cropFraction)
  return fromBytes(sized.bytes, sized.shape).pixels
}
