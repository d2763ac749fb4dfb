import type { AttackPoint, ImageRecord } from '../../attacks/index.ts'

type Cell = string | number | boolean | null | undefined

const columns: Readonly<Record<string, (image: ImageRecord) => Cell>> = {
  index: ({ index }) => index,
  title: ({ title }) => title,
  label: ({ label }) => label,
  predicted: ({ predicted }) => predicted,
  target: ({ target }) => target,
  status: ({ status }) => status,
  reason: ({ reason }) => reason,
  queries: ({ queries }) => queries,
  modelCalls: ({ modelCalls }) => modelCalls,
  ...pointColumns('first'),
  ...pointColumns('best'),
  ...pointColumns('final'),
  success8bit: ({ success8bit }) => success8bit,
  savedPredicted: ({ saved }) => saved?.predicted,
  savedL2sq: ({ saved }) => saved?.l2sq,
  savedL2: ({ saved }) => saved?.l2,
  savedLinf: ({ saved }) => saved?.linf,
  savedFrom: ({ saved }) => saved?.from,
  savedStretch: ({ saved }) => (saved === null ? undefined : (saved.stretch ?? 1)),
  stopReason: ({ stopReason }) => stopReason,
  original: ({ files }) => files?.original,
  adversarial: ({ files }) => files?.adversarial,
  perturbation: ({ files }) => files?.perturbation,
}

/** All images as a CSV table, one line each; what does not apply is empty. */
export function imagesCsv(images: readonly ImageRecord[]): string {
  const lines = images.map((image) => Object.values(columns).map((cell) => quoted(cell(image))))
  return [Object.keys(columns), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

function pointColumns(moment: 'first' | 'best' | 'final'): Record<string, (image: ImageRecord) => Cell> {
  const fields = ['iteration', 'queries', 'l2sq', 'l2', 'linf', 'margin', 'predicted'] as const
  const named = (field: keyof AttackPoint) => `${moment}${field.slice(0, 1).toUpperCase()}${field.slice(1)}`
  return Object.fromEntries(fields.map((field) => [named(field), (image: ImageRecord) => image[moment]?.[field]]))
}

function quoted(cell: Cell): string {
  const text = cell === null || cell === undefined ? '' : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
