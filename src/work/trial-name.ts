import type { Setting } from './greedy-search.ts'

/** A setting as people say it. */
export function settingTitle({ learningRate, beta1, beta2 }: Setting): string {
  return `learningRate ${learningRate}${beta1 === undefined ? '' : `  beta1 ${beta1}  beta2 ${beta2}`}`
}

/** What a trial is called while it is made. */
export function trialTitle(setting: Setting, seed: number): string {
  return `${settingTitle(setting)} seed ${seed}`
}

/** The folder of a trial below that of its tuning. */
export function trialName({ learningRate, beta1, beta2 }: Setting, seed: number): string {
  const betas = beta1 === undefined ? '' : `betas-${beta1}-${beta2}-`
  return `rate-${learningRate}-${betas}seed-${seed}`.replaceAll('.', 'p').replaceAll('+', '')
}
