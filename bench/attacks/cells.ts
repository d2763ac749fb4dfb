/** What an attack is asked for: any success inside a limit, or the nearest one. */
export type CellKind = 'linf' | 'l2' | 'nearest' | 'labels' | 'targeted'

/** One comparison: a network, its images, and what is asked of an attack on them. */
export interface Cell {
  readonly title: string
  readonly kind: CellKind
  /** The network: one that ships with the package, or one that the user gives. */
  readonly network: 'digits' | 'cifar10' | 'resnet8' | 'imagenet' | 'inception'
  /** The largest change of a pixel, or the longest perturbation, by the kind of the cell. */
  readonly limit?: number
  /** Queries per image. */
  readonly budget: number
  /** Images attacked. */
  readonly images: number
  /** Queries at which tables say how far attacks have come. */
  readonly checkpoints: readonly number[]
  /** The cell whose peers count here as well: those that read nothing but the class make the same queries in both. */
  readonly peersOf?: string
  /** Run only where it is asked for. */
  readonly onDemand?: boolean
}

const small = { images: 50 } as const

/** The cells by name. */
export const cells: Readonly<Record<string, Cell>> = {
  'cifar10-linf': {
    title: 'CIFAR-10, l-infinity 8/255',
    kind: 'linf',
    network: 'cifar10',
    limit: 8 / 255,
    budget: 10_000,
    checkpoints: [100, 500, 10_000],
    ...small,
  },
  'resnet8-linf': {
    title: 'ResNet-8 (CIFAR-10), l-infinity 8/255',
    kind: 'linf',
    network: 'resnet8',
    limit: 8 / 255,
    budget: 10_000,
    checkpoints: [100, 500, 10_000],
    ...small,
  },
  'digits-linf': {
    title: 'Digits, l-infinity 0.1',
    kind: 'linf',
    network: 'digits',
    limit: 0.1,
    budget: 10_000,
    checkpoints: [100, 500, 10_000],
    ...small,
  },
  'cifar10-l2': {
    title: 'CIFAR-10, l2 0.5',
    kind: 'l2',
    network: 'cifar10',
    limit: 0.5,
    budget: 5000,
    checkpoints: [100, 500, 5000],
    ...small,
  },
  'imagenet-l2': {
    title: 'ImageNet network, l2 5.0',
    kind: 'l2',
    network: 'imagenet',
    limit: 5,
    budget: 1000,
    images: 15,
    checkpoints: [100, 500, 1000],
  },
  'digits-nearest': {
    title: 'Digits, nearest success',
    kind: 'nearest',
    network: 'digits',
    budget: 10_000,
    checkpoints: [1000, 5000, 10_000],
    ...small,
  },
  'cifar10-nearest': {
    title: 'CIFAR-10, nearest success',
    kind: 'nearest',
    network: 'cifar10',
    budget: 5000,
    checkpoints: [1000, 5000],
    ...small,
  },
  'inception-nearest': {
    title: 'Inception V3, nearest success',
    kind: 'nearest',
    network: 'inception',
    budget: 11_001,
    images: 22,
    checkpoints: [1000, 5000, 11_001],
    onDemand: true,
  },
  'digits-labels': {
    title: 'Digits, nearest success by labels only',
    kind: 'labels',
    network: 'digits',
    budget: 5000,
    checkpoints: [1000, 5000],
    peersOf: 'digits-nearest',
    ...small,
  },
  'cifar10-labels': {
    title: 'CIFAR-10, nearest success by labels only',
    kind: 'labels',
    network: 'cifar10',
    budget: 5000,
    checkpoints: [1000, 5000],
    peersOf: 'cifar10-nearest',
    ...small,
  },
  'digits-targeted': {
    title: 'Digits, nearest success as the next class',
    kind: 'targeted',
    network: 'digits',
    budget: 5000,
    images: 30,
    checkpoints: [1000, 5000],
  },
}

/** Whether an attack is over at its first success: the cell asks for no more. */
export function endsAtSuccess({ limit }: Cell): boolean {
  return limit !== undefined
}

/** The limits of a cell by norm. */
export function limitsOf({ kind, limit }: Cell): { readonly linf?: number; readonly l2?: number } {
  return limit === undefined ? {} : kind === 'linf' ? { linf: limit } : { l2: limit }
}
