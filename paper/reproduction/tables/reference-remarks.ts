import type { Plan } from './plan.ts'

/** What is open about the rates of the authors' code; nothing where other settings are used. */
export function rateRemarks({ profile }: Plan): string[] {
  if (profile !== 'reference') return []
  return [
    'The authors\' code holds one rate, which is changed by hand from method to method. As published it stands at 3e-4 for ZO-SMD, with the comment "0.02 for uncons", which names no method. Here that is the rate of unconstrained ZO-AdaMM, which no table has (the text says 0.01); all other rates are those the paper found best.',
  ]
}

/** What universal attacks are made on, and what is open about their rates. */
export function universalRemarks(plan: Plan): string[] {
  if (plan.profile !== 'reference') return []
  const images =
    "The authors' code attacks 10 images of one class, brambling: number 11 there, where class 0 is none of ImageNet's, and 10 where they are counted from 0."
  const here =
    plan.universalClass === undefined
      ? 'Here they are of all classes: --class chooses one.'
      : `Here they are of class ${plan.universalClass}.`
  return [
    `${images} ${here}`,
    "As published that code stands at ZO-NES with a rate of 0.1, which the paper's own Table A2 calls a failure: the rates here are those the paper found best.",
  ]
}

/** So many images, and of which class where they are of one. */
export function universalImages({ universalClass }: Plan, count: number): string {
  return `${count} images${universalClass === undefined ? '' : ` of class ${universalClass}`}`
}
