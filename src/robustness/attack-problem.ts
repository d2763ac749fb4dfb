import { show, ZerothError } from '../optimizer/core/errors.ts'
import {
  type Input,
  numberFrom,
  parseOptions,
  positive,
  type ShapeOf,
  type Table,
  table,
  withDefault,
} from '../optimizer/core/options.ts'
import { part } from '../optimizer/core/part.ts'
import type { AttackFacts, ConvexSet, ImageShape, Objective, Vector } from '../optimizer/core/types.ts'
import { type AttackAccount, accounted } from './account.ts'
import { attackObjective, type Goal, type MeasuredObjective } from './attack-objective.ts'
import { type ConfirmationNeeds, confirmPoint, confirmWhileRunning, type Suspect } from './confirmation.ts'
import { type Formulation, type FormulationState, isByte, onBytes } from './formulation.ts'
import { constrained } from './formulations.ts'
import type { Model } from './models/model.ts'
import type { Distortion, Sighting } from './records.ts'

const declared = table({
  /** The problem: constrained or unconstrained. */
  formulation: withDefault(part<Formulation>('attack', 'start'), () => constrained()),
  /** Weight of the attack loss against the squared distortion. Above 0; default 10. */
  lambda: withDefault(positive, 10),
  /** Margin by which the model must be wrong. At least 0; default 0. */
  kappa: withDefault(numberFrom(0), 0),
})

export type ProblemShape = ShapeOf<typeof declared>

/** What is wanted of the images, shared by every way to attack them. */
export const attackProblemOptions: Table<ProblemShape> = declared

/** Options of `attackProblem`. */
export interface AttackProblemOptions extends Input<typeof attackProblemOptions> {}

/** One image to attack. */
export interface CleanImage extends Goal {
  /** Pixels from 0 to 1, as `Dataset.read` gives them. */
  readonly pixels: Float32Array
  /** Pictures that probably do what is wanted of this one, such as some of the target class. */
  readonly examples?: readonly Float32Array[] | undefined
  /**
   * What the model said of it when it was screened, null if that was not kept: given for all images, successes are confirmed
   * by asking again. Then the model must answer asynchronously, and the extra questions are in the account alone.
   */
  readonly seen?: Sighting | null | undefined
}

/** An attack as a minimisation, ready for any solver, and the account of what it does to the images. */
export interface AttackProblem {
  readonly objective: Objective
  readonly set: ConvexSet
  readonly start: Float64Array
  /** Of the images, and so of the variables. */
  readonly shape: ImageShape
  /** What a method may know of the attack. */
  readonly attack: AttackFacts
  readonly account: AttackAccount
  /** Writes the picture that variables make of an image. */
  paint(variables: Vector, image: number, into: Vector): void
  /** Whether an image may be changed that much. */
  allows(distortion: Distortion): boolean
  /** The margin by which the model must be wrong. */
  readonly kappa: number
  /** Asks again about a point of the attack that is to count as a success. */
  confirm(suspect: Suspect, asking: Parameters<typeof confirmPoint>[2]): ReturnType<typeof confirmPoint>
}

/**
 * Compiles an attack: on one image, or on several that share one perturbation. Minimise `objective` over `set` from
 * `start`, then see `account`.
 */
export function attackProblem(
  model: Model,
  images: readonly CleanImage[],
  options: AttackProblemOptions = {},
): AttackProblem {
  const { formulation, lambda, kappa } = parseOptions('attackProblem', attackProblemOptions, options)
  checkImages(model, images)
  checkKappa(model, kappa)
  const originals = images.map(({ pixels }) => pixels)
  const bare = formulation.start(originals)
  const posed: FormulationState = isByte(model.grid) ? onBytes(bare, originals) : bare
  const isConfirmed = images.every(({ seen }) => seen !== undefined)
  const attack = { model, cleanImages: images, posed, kappa }
  const loss = (needs: ConfirmationNeeds): MeasuredObjective => {
    const confirm = isConfirmed ? confirmWhileRunning(attack, needs) : undefined
    return attackObjective(model, posed, images, { lambda, kappa }, confirm)
  }
  const { objective, account } = accounted(loss, posed, images, { kappa, model })
  return {
    objective,
    account,
    set: posed.set,
    start: new Float64Array(posed.dim),
    shape: model.shape,
    attack: {
      ...attackFacts(
        model,
        posed,
        images.some(({ target }) => target !== undefined),
      ),
      floor: -lambda * kappa,
      competingClasses: competingClassesOf(model, images),
      classes: classesOf(model, images),
      startingPoints: startingPointsOf(posed, images),
    },
    paint: (variables, image, into) => void posed.paint(variables, image, into, 0),
    allows: (distortion) => posed.allows?.(distortion) ?? true,
    kappa,
    confirm: (suspect, asking) => confirmPoint(attack, suspect, asking),
  }
}

/** What a method may know of an attack on this model. */
export function attackFacts(
  { scores, grid }: Pick<Model, 'scores' | 'grid'>,
  { limits, addsSquares, pictures, gain = 1 }: FormulationState,
  targeted: boolean,
): AttackFacts {
  const facts = { ...limits, addsSquares: addsSquares === true, targeted, labelsOnly: scores === 'labels', pictures }
  // The step that the model tells pixels apart by, in units of the variables.
  return grid === undefined ? facts : { ...facts, grid: grid / gain }
}

/** Refuses a margin that a model which answers with a class alone cannot show. */
export function checkKappa({ scores }: Pick<Model, 'scores'>, kappa: number): void {
  if (kappa === 0 || scores !== 'labels') return
  const why = 'of a model that answers with a class and no scores: it shows no margins'
  throw new ZerothError('invalid-option', `kappa must be 0 in an attack ${why}, got ${kappa}`)
}

/** Classes that are too many to keep an eye on each of them. */
const manyClasses = 32

/** The classes that an attack on a single image may look at one by one, where any but its own will do. */
function competingClassesOf(
  { scores, classes }: Pick<Model, 'scores' | 'classes'>,
  images: readonly CleanImage[],
): number | undefined {
  const isFree = images.length === 1 && images[0]?.target === undefined
  return isFree && scores !== 'labels' && classes > 2 && classes <= manyClasses ? classes : undefined
}

/** What an attack on a single image may ask of each class. */
function classesOf(
  { scores, classes }: Pick<Model, 'scores' | 'classes'>,
  images: readonly CleanImage[],
): AttackFacts['classes'] {
  const [image] = images
  if (image === undefined || images.length > 1 || scores === 'labels' || classes > manyClasses) return undefined
  return { count: classes, label: image.label, target: image.target }
}

/** The examples of a single image as points of the minimisation. */
function startingPointsOf({ variablesOf }: FormulationState, images: readonly CleanImage[]): Float64Array[] {
  const [image] = images
  if (variablesOf === undefined || image === undefined || images.length > 1) return []
  return (image.examples ?? []).map((picture) => variablesOf(picture, 0))
}

function checkImages({ shape, classes }: Model, images: readonly CleanImage[]): void {
  const pixels = shape.channels * shape.height * shape.width
  if (images.length === 0) throw new ZerothError('invalid-data', 'an attack needs at least one image')
  images.forEach((image, i) => {
    if (image.pixels.length !== pixels) {
      throw new ZerothError('invalid-data', `image ${i} must have ${pixels} pixel values, got ${image.pixels.length}`)
    }
    const odd = image.pixels.find((each) => !(each >= 0 && each <= 1))
    if (odd !== undefined) {
      throw new ZerothError('invalid-data', `image ${i} must have pixels from 0 to 1 (bytes / 255), got ${odd}`)
    }
    for (const [what, value] of [
      ['label', image.label],
      ['target', image.target ?? 0],
    ] as const) {
      if (Number.isInteger(value) && value >= 0 && value < classes) continue
      const allowed = `a whole number from 0 to ${classes - 1}`
      throw new ZerothError('invalid-data', `the ${what} of image ${i} must be ${allowed}, got ${show(value)}`)
    }
    if (image.target === image.label) {
      throw new ZerothError('invalid-data', `the target of image ${i} is its own class, ${image.label}`)
    }
  })
}
