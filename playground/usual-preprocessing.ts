import { usualPreprocessing } from '../src/models/guess-preprocessing.ts'
import type { PreprocessingOption } from '../src/models/index.ts'
import { percentText } from '../src/report/number-text.ts'
import { sharesOf } from './attack-view.ts'
import type { Tried } from './model-orders.ts'

/** What networks are usually fed with; at first what is meant where nothing is said. */
export const usual: readonly PreprocessingOption[] = [
  {},
  ...new Map(
    [...usualPreprocessing(3), ...usualPreprocessing(1)].map((each) => [JSON.stringify(each), each] as const),
  ).values(),
]

/** What black and white become, and what is done to that. */
export function preprocessingText(said: PreprocessingOption): string {
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
