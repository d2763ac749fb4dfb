import { ZerothError } from '../core/errors.ts'
import { labelsNotice } from './class-answers.ts'
import type { Sides } from './network-input.ts'
import { isWholeType, type Preprocessing, type PreprocessingOption, type TensorType } from './preprocessing.ts'

/** An input or output of a network. */
export interface NetworkValue {
  readonly name: string
  /** The kind of its numbers, as its runtime calls it. */
  readonly type: string
  readonly sides: Sides
}

/** What is wanted of a network's inputs or outputs. */
interface Wanted<Type extends string> {
  readonly kind: 'input' | 'output'
  /** Its name; the only one if left out. */
  readonly name: string | undefined
  /** The kinds of numbers that will do. */
  readonly types: readonly Type[]
}

/** The input that takes images or the output that gives scores: the only one, or the one that is named. */
export function chooseValue<Type extends string>(
  all: readonly NetworkValue[],
  { kind, name, types }: Wanted<Type>,
  network: string,
): NetworkValue & { readonly type: Type } {
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-model', `${network} ${why}`)
  }
  const names = all.map((each) => each.name).join(', ')
  const found = name === undefined && all.length === 1 ? all[0] : all.find((each) => each.name === name)
  if (found === undefined && name !== undefined) return refuse(`has no ${kind} ${name} (its ${kind}s: ${names})`)
  if (found === undefined) return refuse(`has ${all.length} ${kind}s (${names}): choose one with the option ${kind}`)
  const type = types.find((each) => each === found.type)
  if (type !== undefined) return { ...found, type }
  return refuse(`has the ${kind} ${found.name} of type ${found.type}; supported are ${types.join(', ')}`)
}

/** Scores per image in an output with these sides; undefined where the network leaves that open. */
export function scoresPerImage(sides: Sides, fixedBatch: number | undefined): number | undefined {
  // Without a side for the images there is one image.
  const perImage = sides.length === 1 && fixedBatch === 1 ? sides : sides.slice(1)
  return perImage.reduce<number | undefined>(
    (product, side) => (product === undefined || side === undefined ? undefined : product * side),
    1,
  )
}

/** Scores per image at most: more than any classifier has, and few enough to keep those of many images. */
const mostScores = 1_000_000

/** Refuses more scores than can be kept, and a number of them that does not fit what was said about them. */
export function checkScores(outputs: number, given: PreprocessingOption, where: string): void {
  const { labelOffset = 0, classes } = given
  // A class alone says nothing about how many there are.
  if (given.scores === 'labels' && outputs === 1) return
  const left = outputs - labelOffset
  if (outputs > mostScores) {
    const said = `${where} gives ${outputs} scores per image`
    throw new ZerothError('invalid-model', `${said}; at most ${mostScores} are supported`)
  }
  if (left < 1) {
    throw new ZerothError(
      'invalid-model',
      `${where} gives ${outputs} scores per image: preprocessing.labelOffset ${labelOffset} leaves none of them`,
    )
  }
  if (classes === undefined || classes === left) return
  const offset = outputs > classes ? `; set preprocessing.labelOffset to ${outputs - classes} to skip the first` : ''
  throw new ZerothError(
    'invalid-model',
    `${where} gives ${left} scores per image, but preprocessing.classes says ${classes}${offset}`,
  )
}

/** What a user should know about a network before asking it anything. */
export function networkWarnings(type: TensorType, outputs: number, { labelOffset, scores }: Preprocessing): string[] {
  const warnings: string[] = scores === 'labels' ? [labelsNotice] : []
  if (isWholeType(type)) {
    warnings.push('the network takes bytes: pixels are rounded to multiples of 1/255, and smaller changes do nothing')
  }
  if (outputs === 1001 && labelOffset === 0) {
    warnings.push(
      'the network gives 1001 scores: of ImageNet networks with so many the first is a dummy; then set preprocessing.labelOffset to 1',
    )
  }
  return warnings
}
