import type { ImageRecord } from './records.ts'

/** Reasons not to take images that withstood for robust: what a second method found, and models without slopes. */
export function doubts(images: readonly ImageRecord[]): string[] {
  return [...falseRobustness(images), ...flatImages(images)]
}

/** A second method that succeeds shows that the first one's result was its own weakness. */
function falseRobustness(images: readonly ImageRecord[]): string[] {
  const found = images.flatMap(({ methods = [] }) => {
    const second = methods.find(({ fooled, isSecond }) => fooled && isSecond === true)
    return second === undefined ? [] : [{ first: methods[0]?.method, later: second.method }]
  })
  const pairs = [...new Set(found.map(({ first, later }) => JSON.stringify([first, later])))]
  return pairs.map((pair) => {
    const [first, later] = JSON.parse(pair) as [string, string]
    const count = found.filter((each) => each.first === first && each.later === later).length
    const what = `${count === 1 ? '1 image' : `${count} images`} that withstood ${first}`
    return `${what} did not withstand ${later}: robustness against ${first} alone would have been false`
  })
}

function flatImages(images: readonly ImageRecord[]): string[] {
  const robust = images.filter(({ status }) => status === 'robust')
  const flat = robust.filter(({ isFlat }) => isFlat === true).length
  if (flat === 0) return []
  const what = `around ${flat} of ${robust.length} images that withstood, the model gives the same scores to the bit`
  const why = 'it may round its input, or clip or saturate its scores'
  return [`${what}: ${why}, and hide that it can be fooled; attack it before that step, or with larger changes`]
}
