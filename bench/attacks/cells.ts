/** What an attack is asked for: any success inside a limit, or the nearest one. */
export type CellKind = 'linf' | 'l2' | 'nearest' | 'labels' | 'targeted'

/** Images on which settings are chosen, and the others, on which they are judged. */
export type Split = 'tuning' | 'judging'

/** One comparison: a network, its images, and what is asked of an attack on them. */
export interface Cell {
  readonly title: string
  readonly kind: CellKind
  /** The network: one that ships with the package, or one that the user gives. */
  readonly network: string
  /** Every other image: those on which settings are chosen, or those on which they are judged; all if left out. */
  readonly split?: Split
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

/** The cells of this benchmark by name. */
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

/** What is asked of attacks on every network that `--network` names. */
export const cellsOfNetworks: Readonly<Record<string, Omit<Cell, 'network'>>> = {
  'linf-4': limited('linf', 4 / 255, 5000, 'l-infinity 4/255'),
  'linf-05': limited('linf', 0.05, 10_000, 'l-infinity 0.05'),
  'l2-5': limited('l2', 5, 10_000, 'l2 5.0'),
  'l2-2': limited('l2', 2, 5000, 'l2 2.0'),
  nearest: {
    title: 'nearest success',
    kind: 'nearest',
    budget: 11_001,
    images: 50,
    checkpoints: [1000, 2000, 5000, 11_001],
  },
  labels: {
    title: 'nearest success by labels only',
    kind: 'labels',
    budget: 5000,
    images: 50,
    checkpoints: [1000, 2000, 5000],
    peersOf: 'nearest',
  },
}

function limited(kind: 'linf' | 'l2', limit: number, budget: number, title: string): Omit<Cell, 'network'> {
  return { title, kind, limit, budget, images: 50, checkpoints: [100, 500, 1000, 2000, budget] }
}

/** The name of a cell on a network that was given: `mobilenet/linf-4`, or `mobilenet/linf-4/judging`. */
export function nameOnNetwork(network: string, cell: string, split?: Split): string {
  return [network, cell, ...(split === undefined ? [] : [split])].join('/')
}

/** The cell of a name; undefined if there is none. */
export function cellOf(name: string): Cell | undefined {
  const [network = '', kind = '', split] = name.split('/')
  const about = cellsOfNetworks[kind]
  if (about === undefined) return cells[name]
  if (split !== undefined && split !== 'tuning' && split !== 'judging') return undefined
  const title = `${network}, ${about.title}${split === undefined ? '' : ` (${split} images)`}`
  const shared = about.peersOf === undefined ? {} : { peersOf: nameOnNetwork(network, about.peersOf, split) }
  return { ...about, ...shared, title, network, ...(split === undefined ? {} : { split }) }
}

/** Whether an attack is over at its first success: the cell asks for no more. */
export function endsAtSuccess({ limit }: Cell): boolean {
  return limit !== undefined
}

/** The limits of a cell by norm. */
export function limitsOf({ kind, limit }: Cell): { readonly linf?: number; readonly l2?: number } {
  return limit === undefined ? {} : kind === 'linf' ? { linf: limit } : { l2: limit }
}
