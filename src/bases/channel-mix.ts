import { CosineTransform } from './cosine-transform.ts'

/**
 * Channels combined by a cosine transform of their own: for red, green and blue their mean first, then two colors. What a
 * network sees in the channels is much alike, so that few combinations hold most of it.
 */
export interface ChannelMix {
  /** into = coefficients of the channels themselves, for coefficients of their combinations, a plane of each. */
  separate(coefficients: Float64Array, into: Float64Array): void
  /** The share of a channel in a combination. */
  share(combination: number, channel: number): number
}

/** The combinations of the channels of an image. */
export function channelMix(channels: number): ChannelMix {
  const transform = new CosineTransform({ channels: 1, height: 1, width: channels }, 1, channels)
  const shares = new Float64Array(channels * channels)
  for (let i = 0; i < channels; i++) transform.add(i, 1, shares, i * channels)
  const share = (combination: number, channel: number): number => shares[combination * channels + channel] as number
  return {
    share,
    separate(coefficients, into) {
      const plane = coefficients.length / channels
      into.fill(0)
      for (let from = 0; from < channels; from++) {
        for (let to = 0; to < channels; to++) {
          addPlane(coefficients, from * plane, share(from, to), into, to * plane, plane)
        }
      }
    },
  }
}

function addPlane(
  source: Float64Array,
  from: number,
  weight: number,
  into: Float64Array,
  to: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) into[to + i] = (into[to + i] as number) + weight * (source[from + i] as number)
}
