import type { AttackReport } from '../../../src/robustness/index.ts'
import type { Plan } from './plan.ts'

/** Attacks that a table shows: the authors' code differs from the text in ZO-AdaMM alone, so there others need not be made. */
export function shownAttacks<T extends { readonly report: AttackReport | undefined }>(
  { profile }: Plan,
  attacks: readonly T[],
): readonly T[] {
  const made = attacks.filter(({ report }) => report !== undefined)
  return profile === 'reference' && made.length > 0 ? made : attacks
}

/** What is unclear about the rates of the authors' code; empty for other settings. */
export function rateRemarks({ profile }: Plan): string[] {
  if (profile !== 'reference') return []
  return [
    'The authors\' code has one rate, which is changed by hand for each method. As published it is 3e-4, for ZO-SMD, with the comment "0.02 for uncons", which names no method. Here that is the rate of unconstrained ZO-AdaMM, which is in no table (the text says 0.01); all other rates are those the paper found best.',
  ]
}

/** The images of universal attacks, and what is unclear about their rates. */
export function universalRemarks(plan: Plan): string[] {
  if (plan.profile !== 'reference') return []
  const images =
    "The authors' code attacks 10 images of one class, brambling: number 11 there, where class 0 is not an ImageNet class, and 10 if they are counted from 0."
  const here =
    plan.universalClass === undefined
      ? 'Here they are of all classes: --class chooses one.'
      : `Here they are of class ${plan.universalClass}.`
  return [
    `${images} ${here}`,
    "As published, that code runs ZO-NES with a rate of 0.1, which the paper's own Table A2 calls a failure: the rates here are those the paper found best.",
  ]
}

/** The number of images, and their class if they have one. */
export function universalImages({ universalClass }: Plan, count: number): string {
  return `${count} images${universalClass === undefined ? '' : ` of class ${universalClass}`}`
}
