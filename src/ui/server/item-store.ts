import { className } from '../../datasets/index.ts'
import { itemDone } from '../../work/evaluation/attack-meter.ts'
import { readEvaluation } from '../../work/evaluation/status.ts'
import type { ItemRow, PictureName } from '../api.ts'

type StoredImage = ReturnType<typeof readEvaluation>['report']['images'][number]

/** An image as the gallery shows it. */
export function itemRow(image: StoredImage, classNames: readonly string[] | undefined): ItemRow {
  const { type: _, pictures: __, ...item } = itemDone(image, classNames)
  const before = image.predicted ?? image.label
  return {
    ...item,
    firstQueries: image.first?.queries,
    before: before === null ? undefined : (className(before, classNames) ?? String(before)),
    methods: methodsIn(image),
    pictures: pictureNames(image),
  }
}

/** The way back from a success is no method of its own. */
function methodsIn({ methods = [] }: StoredImage): string[] {
  const tried = methods.filter(({ method }) => method !== 'back')
  const fooling = tried.filter(({ fooled }) => fooled)
  return [...new Set((fooling.length > 0 ? fooling : tried).map(({ method }) => method))]
}

function pictureNames({ files }: StoredImage): PictureName[] {
  const names: PictureName[] = ['original', 'adversarial', 'perturbation']
  return names.filter((name) => typeof files?.[name] === 'string')
}

/** What the gallery is asked for. */
export interface ItemQuery {
  readonly status?: string | undefined
  /** A class by name: what an image is, or what the model takes it for. */
  readonly class?: string | undefined
  readonly method?: string | undefined
  readonly sort?: string | undefined
  readonly after?: number | undefined
  readonly count: number
}

/** The images that are asked for, and how many there are of that kind. */
export function selectItems(all: readonly ItemRow[], query: ItemQuery) {
  const { status, class: wanted, method, sort, after, count } = query
  const items = all
    .filter((item) => status === undefined || item.status === status)
    .filter((item) => wanted === undefined || namesOf(item).includes(wanted))
    .filter((item) => method === undefined || item.methods.includes(method))
    .sort(orders[sort ?? ''] ?? byIndex)
  const from = after === undefined ? 0 : items.findIndex(({ index }) => index === after) + 1
  const shown = items.slice(from, from + count)
  const next = from + count < items.length ? shown.at(-1)?.index : undefined
  return { items: shown, total: items.length, next }
}

type Order = (a: ItemRow, b: ItemRow) => number

const byIndex: Order = (a, b) => a.index - b.index

const orders: Readonly<Record<string, Order>> = {
  queries: (a, b) => (a.firstQueries ?? Infinity) - (b.firstQueries ?? Infinity) || byIndex(a, b),
  distance: (a, b) => (a.l2 ?? Infinity) - (b.l2 ?? Infinity) || byIndex(a, b),
}

/** The classes that some images have, or are taken for. */
export function classesOf(items: readonly ItemRow[]): string[] {
  return [...new Set(items.flatMap(namesOf))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** The methods that some images were attacked with. */
export function methodsOf(items: readonly ItemRow[]): string[] {
  return [...new Set(items.flatMap(({ methods }) => methods))]
}

/** What an image is, and what the model takes it for, by name or by number. */
function namesOf({ before, label, labelName, predicted, predictedName }: ItemRow): string[] {
  return [before, labelName ?? label, predictedName ?? predicted].filter((name) => name !== undefined).map(String)
}

/** The images of evaluations, kept as long as their files have not changed. */
export class ItemStore {
  readonly #kept = new Map<string, { readonly version: string; readonly items: Map<number, ItemRow> }>()

  /** All images that are done. `version` says when to read them again. */
  all(id: string, folder: string, version: string): Map<number, ItemRow> {
    const known = this.#kept.get(id)
    if (known?.version === version) return known.items
    const items = new Map(readItems(folder).map((item) => [item.index, item]))
    this.#kept.set(id, { version, items })
    return items
  }

  forget(id: string): void {
    this.#kept.delete(id)
  }
}

function readItems(folder: string): ItemRow[] {
  try {
    const { record, report } = readEvaluation(folder)
    return report.images.map((image) => itemRow(image, record.images.classNames))
  } catch {
    // A universal perturbation has no images before its end.
    return []
  }
}
