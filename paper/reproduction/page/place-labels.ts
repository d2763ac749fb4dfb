/** A text that wants to stand beside a point. Places are in pixels, y downwards. */
export interface Label {
  readonly x: number
  readonly y: number
  readonly text: string
  /** Written even where it covers something. */
  readonly isNeeded?: boolean
}

/** Where a label stands: its text begins or ends so far from its point. */
export interface Place {
  readonly dx: number
  readonly dy: number
  readonly anchor: 'start' | 'end'
}

interface Rectangle {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const letter = 5.6
const height = 11
/** How far a label stands off its point, and how large a point is taken for. */
const offset = 7
const point = 5

/** Tries the four corners of every point, in the order given; a label that would cover others or points is left out. */
export function placeLabels<L extends Label>(
  labels: readonly L[],
  points: readonly { readonly x: number; readonly y: number }[],
  width: number,
): (L & Place)[] {
  const dots = points.map(({ x, y }) => ({ left: x - point, right: x + point, top: y - point, bottom: y + point }))
  const texts: Rectangle[] = []
  const placed: (L & Place)[] = []
  for (const label of [...labels].sort((a, b) => Number(b.isNeeded ?? false) - Number(a.isNeeded ?? false))) {
    const corners = cornersOf(label).filter(({ at }) => at.left >= 0 && at.right <= width)
    const readable = corners.filter(({ at }) => !texts.some((each) => overlap(each, at)))
    const free = readable.find(({ at }) => !dots.some((each) => overlap(each, at)))
    const found = free ?? (label.isNeeded === true ? (readable[0] ?? corners[0]) : undefined)
    if (found === undefined) continue
    texts.push(found.at)
    placed.push({ ...label, ...found.place })
  }
  return placed
}

function cornersOf(label: Label): { readonly place: Place; readonly at: Rectangle }[] {
  const long = letter * label.text.length
  return [
    { anchor: 'start', dx: offset, dy: -offset } as const,
    { anchor: 'start', dx: offset, dy: offset } as const,
    { anchor: 'end', dx: -offset, dy: -offset } as const,
    { anchor: 'end', dx: -offset, dy: offset } as const,
  ].map(({ anchor, dx, dy }) => {
    const [x, y] = [label.x + dx, label.y + dy]
    const left = anchor === 'start' ? x : x - long
    const at = { left, right: left + long, top: y - height / 2, bottom: y + height / 2 }
    return { place: { anchor, dx, dy }, at }
  })
}

function overlap(a: Rectangle, b: Rectangle): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
