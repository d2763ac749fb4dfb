import { show, ZerothError } from '../core/errors.ts'
import { option, positive, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { part } from '../core/part.ts'
import { numberFrom } from '../core/schema.ts'
import type { AttackFacts, ConvexSet, ImageShape, Objective, Vector } from '../core/types.ts'
import type { Model } from '../models/model.ts'
import { type AttackAccount, accounted } from './account.ts'
import { attackObjective, type Goal } from './attack-objective.ts'
import { constrained } from './constrained.ts'
import type { AttackProblemOptions } from './evaluation-options.ts'
import type { AttackForm, PosedAttack } from './form.ts'
import { isByte, onBytes } from './on-bytes.ts'
import type { Distortion } from './records.ts'

/** What is wanted of the images, shared by every way to attack them. */
export const problemOptions = {
  form: part<AttackForm>('attack', 'begin', 'the problem: constrained or unconstrained', () => constrained()),
  lambda: positive('weight of the attack loss against the squared distortion', 10),
  kappa: option(numberFrom(0), 'margin by which the model must be wrong', 0),
}

/** The options of one attack. */
export const attackProblemOptions = table(problemOptions)

/** One image to attack. */
export interface Victim extends Goal {
  /** Pixels from 0 to 1, as `Dataset.read` gives them. */
  readonly pixels: Float32Array
  /** Pictures that probably do what is wanted of this one, such as some of the target class. */
  readonly examples?: readonly Float32Array[] | undefined
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
}

/**
 * Compiles an attack: on one image, or on several that share one perturbation. Minimise `objective` over `set` from
 * `start`, then see `account`.
 */
export function attackProblem(
  model: Model,
  victims: readonly Victim[],
  options: AttackProblemOptions = {},
): AttackProblem {
  const { form, lambda, kappa } = parseOptions('attackProblem', attackProblemOptions, options)
  checkVictims(model, victims)
  checkKappa(model, kappa)
  const originals = victims.map(({ pixels }) => pixels)
  const bare = form.begin(originals)
  const posed: PosedAttack = isByte(model.grid) ? onBytes(bare, originals) : bare
  const loss = attackObjective(model, posed, victims, { lambda, kappa })
  const { objective, account } = accounted(loss, posed, victims, kappa)
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
        victims.some(({ target }) => target !== undefined),
      ),
      floor: -lambda * kappa,
      rivals: rivalsOf(model, victims),
      footholds: footholdsOf(posed, victims),
    },
    paint: (variables, image, into) => void posed.paint(variables, image, into, 0),
    allows: (distortion) => posed.allows?.(distortion) ?? true,
    kappa,
  }
}

/** What a method may know of an attack on this model. */
export function attackFacts(
  { scores, grid }: Pick<Model, 'scores' | 'grid'>,
  { limits, addsSquares, pictures, gain = 1 }: PosedAttack,
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
function rivalsOf(
  { scores, classes }: Pick<Model, 'scores' | 'classes'>,
  victims: readonly Victim[],
): number | undefined {
  const isFree = victims.length === 1 && victims[0]?.target === undefined
  return isFree && scores !== 'labels' && classes > 2 && classes <= manyClasses ? classes : undefined
}

/** The examples of a single image as points of the minimisation. */
function footholdsOf({ variablesOf }: PosedAttack, victims: readonly Victim[]): Float64Array[] {
  const [victim] = victims
  if (variablesOf === undefined || victim === undefined || victims.length > 1) return []
  return (victim.examples ?? []).map((picture) => variablesOf(picture, 0))
}

function checkVictims({ shape, classes }: Model, victims: readonly Victim[]): void {
  const pixels = shape.channels * shape.height * shape.width
  if (victims.length === 0) throw new ZerothError('invalid-data', 'an attack needs at least one image')
  victims.forEach((victim, i) => {
    if (victim.pixels.length !== pixels) {
      throw new ZerothError('invalid-data', `image ${i} must have ${pixels} pixel values, got ${victim.pixels.length}`)
    }
    const odd = victim.pixels.find((each) => !(each >= 0 && each <= 1))
    if (odd !== undefined) {
      throw new ZerothError('invalid-data', `image ${i} must have pixels from 0 to 1 (bytes / 255), got ${odd}`)
    }
    for (const [what, value] of [
      ['label', victim.label],
      ['target', victim.target ?? 0],
    ] as const) {
      if (Number.isInteger(value) && value >= 0 && value < classes) continue
      const allowed = `a whole number from 0 to ${classes - 1}`
      throw new ZerothError('invalid-data', `the ${what} of image ${i} must be ${allowed}, got ${show(value)}`)
    }
    if (victim.target === victim.label) {
      throw new ZerothError('invalid-data', `the target of image ${i} is its own class, ${victim.label}`)
    }
  })
}
