import type { Looked } from '../../attacks/index.ts'
import type { Dataset } from '../../datasets/index.ts'
import { diagnosis, type Model } from '../../models/index.ts'

/** Fewer images say nothing about a model. */
const fewest = 5

/** Says what is probably wrong with a model that is mostly wrong about untouched images: its preprocessing, the labels. */
export async function diagnose(
  model: Model,
  dataset: Dataset,
  looked: readonly Looked[],
  signal: AbortSignal,
): Promise<string[]> {
  const seen = looked.filter(({ label, predicted }) => label !== null && predicted !== null)
  const correct = seen.filter(({ label, predicted }) => label === predicted).length
  if (seen.length < fewest || correct >= seen.length / 2) return []
  const read = (indices: readonly number[]) => Promise.all(indices.map((i) => dataset.read(seen[i]?.index ?? 0)))
  const labels = seen.map(({ label }) => label ?? undefined)
  const predictions = Int32Array.from(seen, ({ predicted }) => predicted ?? -1)
  return diagnosis(model, { labels, predictions, count: seen.length, correct, read }, signal)
}
