/** How far an image has been changed. Pixels go from 0 to 1. */
export interface Distortion {
  /** The squared Euclidean distance, as the paper's tables have it. */
  readonly l2sq: number
  readonly l2: number
  readonly linf: number
}

/** An evaluated point of an attack. Iteration i is the point after update i; 0 is the original image. */
export interface AttackPoint extends Distortion {
  readonly iteration: number
  /** Queries asked until this point was known, its own included. */
  readonly queries: number
  /** Above 0 where the goal is not reached: f of the paper before it is cut off at -kappa. */
  readonly margin: number
  /** The class the model sees. */
  readonly predicted: number
  readonly fooled: boolean
}

/** The course of an attack: a column per field, thinned where it is long. */
export interface AttackCurve {
  readonly iteration: readonly number[]
  readonly queries: readonly number[]
  /** The attack loss max(margin, -kappa). */
  readonly loss: readonly number[]
  readonly l2sq: readonly number[]
  readonly linf: readonly number[]
  /** 1 where the image fools the model; for several images that share a perturbation, the share of those that do. */
  readonly fooled: readonly number[]
}

/** What an attack did to one image. */
export interface AttackTrack {
  /** The first point that fools the model; null where none did. */
  readonly first: AttackPoint | null
  /** The one that fools it with the smallest distortion; null where none did. */
  readonly best: AttackPoint | null
  /** Where the attack ended; null where its last point could not be evaluated. */
  readonly final: AttackPoint | null
}

/** What is known of the picture that is saved. */
export interface SavedRecord extends Distortion {
  readonly predicted: number
  /** The point it comes from. */
  readonly from: 'best' | 'final' | 'first'
  /** How many times as far from the original it is as that point; once if left out. */
  readonly stretch?: number | undefined
}

/** The scores of a clean image when it was screened: that of its class, and the highest other one. */
export type Sighting = readonly [own: number, rival: number]

/** What was asked again, each time about one picture in a request of its own, outside the budget. */
export interface ConfirmationRecord {
  /** Successes that were asked about again. */
  readonly successes: number
  /** Times that the second answer did not come or was not that of a success, or the model differed meanwhile. */
  readonly contradicted: number
  /** Clean images that were asked about again on the way. */
  readonly clean: number
  /** Of those, the ones with another answer than when they were screened. */
  readonly changed: number
}

/** The counts of a confirmation record, in the order in which they are stored. */
export const confirmationKeys = ['successes', 'contradicted', 'clean', 'changed'] as const

/** The sum of what was asked again. */
export function addConfirmations(one: ConfirmationRecord, other: ConfirmationRecord): ConfirmationRecord {
  const sums = confirmationKeys.map((key) => [key, one[key] + other[key]])
  return Object.fromEntries(sums) as unknown as ConfirmationRecord
}

/** Nothing was asked again. */
export const noConfirmations: ConfirmationRecord = { successes: 0, contradicted: 0, clean: 0, changed: 0 }

/** Names of saved pictures, relative to the folder of the evaluation. */
export interface PictureFiles {
  readonly original: string
  readonly adversarial?: string | undefined
  /** The perturbation, scaled for the eye. */
  readonly perturbation?: string | undefined
}

/** A method that was tried on an image. */
export interface TriedMethod {
  readonly method: string
  readonly queries: number
  /** Whether the first success was its. */
  readonly fooled: boolean
  /** True for another method, on an image that withstood the first. */
  readonly isSecond?: boolean | undefined
}

/** How much a picture may be changed; no limit where left out. */
export interface AttackLimits {
  readonly linf?: number | undefined
  readonly l2?: number | undefined
}

/** How an image fared within one of several limits. */
export interface LimitRecord extends AttackLimits {
  readonly status: ImageRecord['status']
  /**
   * How that is known: from an attack within this limit; from a success within a larger one that is small enough for this
   * one, too; or because the image withstood a larger one.
   */
  readonly from: 'attack' | 'larger success' | 'larger limit'
  /** Queries of the attack within this limit. */
  readonly queries: number
  /** The evaluated point within this limit that fools the model; null where there is none. */
  readonly success: AttackPoint | null
}

/** How one image of an evaluation fared. */
export interface ImageRecord extends AttackTrack {
  /** Its number in the data set. */
  readonly index: number
  readonly title: string
  readonly label: number | null
  /** The class the model sees in the untouched image; null where it could not be asked. */
  readonly predicted: number | null
  /** The class a targeted attack aims at; null for an untargeted one. */
  readonly target: number | null
  /**
   * Skipped: misclassified before any attack, or no attack makes sense. Failed: could not be read or asked. Unfinished: the
   * model fell silent, and `first` and `best` are what had been found by then, nothing final. Unconfirmed: the model gave
   * an answer that fooled it and another one when it was asked again, and nothing that was confirmed.
   */
  readonly status: 'fooled' | 'robust' | 'skipped' | 'failed' | 'unfinished' | 'unconfirmed'
  /** Why it was skipped or failed, or is unfinished. */
  readonly reason: string | null
  readonly queries: number
  /** What was asked again, which is not among the queries; left out where nothing was. */
  readonly confirmations?: ConfirmationRecord | undefined
  /** Images the model classified for this one: before, during and after the attack. */
  readonly modelCalls: number
  /** Queries that brought no answer, each attempt counted, those before and after the attack included. */
  readonly failedQueries: number
  /** Of those, the ones that were asked again at once. */
  readonly retries: number
  /** Whether the 8-bit picture that is saved still fools the model; null where there is none. */
  readonly success8bit: boolean | null
  /** The class the model sees in the saved picture, and how far that is from the original; null where there is none. */
  readonly saved: SavedRecord | null
  /** The methods that were tried, in their order; older records do not say. */
  readonly methods?: readonly TriedMethod[] | undefined
  /** Whether the model gave the very same scores for every picture nearby; only asked where an image withstood. */
  readonly isFlat?: boolean | undefined
  readonly files: PictureFiles | null
  /** The SHA-256 of each of these files, by its name. */
  readonly pictureHashes?: Readonly<Record<string, string>> | undefined
  readonly stopReason: string | null
  readonly curve: AttackCurve | null
  /** Within each of several limits, the largest first; left out where there is one at most. */
  readonly limits?: readonly LimitRecord[] | undefined
}

/** Whether the attack on an image ended with a verdict. */
export function isMeasured({ status }: Pick<ImageRecord, 'status'>): boolean {
  return status === 'fooled' || status === 'robust'
}

/** Whether something kept an image from being measured. */
export function isUnmeasured({ status }: Pick<ImageRecord, 'status'>): boolean {
  return status === 'failed' || status === 'unfinished' || status === 'unconfirmed'
}

/** Whether the model classified the untouched image, and its true class is known. */
export function isScreened({ label, predicted }: Pick<ImageRecord, 'label' | 'predicted'>): boolean {
  return label !== null && predicted !== null
}

/** Whether the model classified the untouched image correctly. */
export function isCorrect({ label, predicted }: Pick<ImageRecord, 'label' | 'predicted'>): boolean {
  return label !== null && predicted === label
}

/** Whether an image withstood its attack, or is classified correctly and needed none. */
export function isRobust(image: Pick<ImageRecord, 'status' | 'label' | 'predicted'>): boolean {
  return image.status === 'robust' || (image.status === 'skipped' && isCorrect(image))
}

/** How the image was changed: as it was saved, or at the best point if nothing was. */
export function changeIn({ saved, best }: Pick<ImageRecord, 'saved' | 'best'>): SavedRecord | AttackPoint | null {
  return saved ?? best
}

/** A statistic over the images that were fooled; NaN where none was. */
export interface MeanMedian {
  readonly mean: number
  readonly median: number
}

/** What an evaluation of several limits says about one of them. */
export interface LimitSummary extends AttackLimits {
  /** Of the images screened, those classified correctly that no attack within this limit fooled. */
  readonly robustAccuracy: number
  /** Its 95 % confidence interval (Wilson). */
  readonly robustAccuracyInterval: readonly [number, number]
  /** Images fooled within this limit, withstanding it, and not measured. */
  readonly fooled: number
  readonly robust: number
  readonly unmeasured: number
  /** Queries of the attacks within this limit. */
  readonly queries: number
}

/** What an evaluation says about a model. Rates are fractions. */
export interface AttackSummary {
  /** Images screened whose class could be compared with their label. */
  readonly looked: number
  /** What the scores were taken for; older reports do not say. */
  readonly scores?: 'logits' | 'probabilities' | 'labels' | undefined
  /** The methods that were tried on at least one image, in their order; older reports do not say. */
  readonly methods?: readonly string[] | undefined
  /** What the robust accuracy means, in a sentence; older reports do not say. */
  readonly meaning?: string | undefined
  readonly attacked: number
  /** Misclassified before any attack, or of the class already that a targeted one aims at. */
  readonly skipped: number
  /** Could not be read, classified or attacked. */
  readonly failed: number
  /** The model fell silent before their attacks had ended: neither fooled nor robust. */
  readonly unfinished: number
  /** Of those, the ones fooled by then. */
  readonly unfinishedFooled: number
  /** Something fooled the model once, and nothing when it was asked again: neither fooled nor robust. */
  readonly unconfirmed: number
  readonly fooled: number
  /** Of the images screened, those classified correctly. */
  readonly cleanAccuracy: number
  /** Of the images screened, those classified correctly that no attack fooled, as far as the attacks have ended. */
  readonly robustAccuracy: number
  /** The robust accuracy if every image that is unfinished, unconfirmed or failed had been fooled, and if none of them were. */
  readonly robustAccuracyBounds?: readonly [number, number] | undefined
  /** Of the images attacked, those fooled; a universal perturbation counts as it was at its end. */
  readonly attackSuccessRate: number
  /** 95 % confidence interval of the success rate (Wilson). */
  readonly attackSuccessInterval: readonly [number, number]
  /** Of the images attacked, those fooled by the picture that was saved. */
  readonly success8bit: number
  readonly queries: number
  /** What was asked again to confirm successes, and to see whether the model is the same. */
  readonly confirmations: ConfirmationRecord
  /** Images classified in all: queries, confirmations, the screening of the untouched images, and the check of the saved ones. */
  readonly modelCalls: number
  /** Queries that brought no answer, each attempt counted. */
  readonly failedQueries: number
  /** Of those, the ones that were asked again at once. */
  readonly retries: number
  readonly firstSuccessIterations: MeanMedian
  readonly firstSuccessQueries: MeanMedian
  readonly firstSuccessL2sq: MeanMedian
  readonly firstSuccessL2: MeanMedian
  readonly firstSuccessLinf: MeanMedian
  readonly bestL2sq: MeanMedian
  readonly bestL2: MeanMedian
  readonly bestLinf: MeanMedian
  readonly finalL2sq: MeanMedian
  readonly finalL2: MeanMedian
  readonly finalLinf: MeanMedian
  /** Of the images fooled, those whose last point still fools the model. */
  readonly kept: number
  /** Mean of lambda f + distortion at the last point, over all images attacked. */
  readonly finalObjective: MeanMedian
  /** Within each of several limits, the smallest first; everything else is about the largest. */
  readonly limits?: readonly LimitSummary[] | undefined
}

/** The one perturbation of a universal attack. */
export interface UniversalRecord {
  /** Its course, fooled being the share of images. */
  readonly curve: AttackCurve
  readonly queries: number
  readonly images: number
  /** What was asked again in its course; left out where nothing was. */
  readonly confirmations?: ConfirmationRecord | undefined
  /** Every query classifies every image. */
  readonly modelCalls: number
  /** Queries that brought no answer, each attempt counted, and the ones of them that were asked again at once. */
  readonly failedQueries?: number | undefined
  readonly retries?: number | undefined
}

/** Clean images that were asked about again at the end: a model that was replaced meanwhile has not been measured. */
export interface CanaryRecord {
  readonly asked: number
  /** Those with another answer than at the beginning, by more than noise; any one of them voids the result. */
  readonly changed: number
  /** Those without an answer: it could not be checked. */
  readonly unanswered: number
  /** The first change, in words. */
  readonly reason: string | null
}

/** How much of what the probes of a method measure is noise, as found on clean images before the attacks. */
export interface NoiseRecord {
  /** Of the squared change from an image to a probe, the share that is noise. */
  readonly share: number
  /** Of the same, the share that shows when an image is asked about twice: answers that vary by themselves. */
  readonly again: number
  /** The length of the probes, and the option that says it. */
  readonly length: number
  readonly option: string
  /** The longer one that is used instead; left out where there is no need, or the method keeps to its own. */
  readonly probe?: number | undefined
  /** Images the model classified for it, outside the budgets. */
  readonly asked: number
  readonly failedQueries: number
  readonly retries: number
}

/** A whole evaluation. */
export interface AttackReport {
  readonly summary: AttackSummary
  readonly images: readonly ImageRecord[]
  /** Of a universal attack; otherwise null. */
  readonly universal: UniversalRecord | null
  /** Null where nothing was attacked; left out by earlier versions, which did not ask. */
  readonly canaries?: CanaryRecord | null | undefined
  /** Null or left out where it was not measured. */
  readonly noise?: NoiseRecord | null | undefined
  readonly warnings: readonly string[]
}

/** What an image counts as beside a baseline: one classified correctly and not fooled is robust, attacked or not. */
export type Outcome = 'robust' | 'fooled' | 'misclassified' | 'unmeasured'

/** An image that was robust before and is not now. */
interface Regression {
  readonly index: number
  readonly title: string
  readonly now: Outcome
}

/** Robust accuracy before and now, within one limit. */
export interface LimitComparison extends AttackLimits {
  /** Too little measured is never good enough: then it is not judged. */
  readonly kind: 'met' | 'worse' | 'unjudged'
  readonly before: number
  readonly now: number
  /** Images that could not be measured now. */
  readonly unmeasured: number
  readonly regressions: readonly Regression[]
  /** Images that were not robust before and are now. */
  readonly improved: number
}

/** An evaluation beside its baseline, over the images that both screened. */
export interface BaselineComparison {
  readonly baseline: string
  readonly kind: LimitComparison['kind']
  /** By how much the robust accuracy may be lower. */
  readonly tolerance: number
  readonly images: number
  readonly limits: readonly LimitComparison[]
}
