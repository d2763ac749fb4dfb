// @ts-check
import { minimize } from '../dist/index.js'

const [width, height, cell] = [480, 320, 10]
const [left, right, low, high] = [-2, 2, -1, 3]

/** Rosenbrock's valley, of which the way down is asked about and nothing else is known.
 * @param {ArrayLike<number>} x
 */
function valley([a = 0, b = 0]) {
  return (1 - a) ** 2 + 100 * (b - a * a) ** 2
}

/** A search on a map: each query is a dot that appears when it is asked; the line joins the best so far. */
export async function movingPicture() {
  const asked = /** @type {{ x: number, y: number, value: number }[]} */ ([])
  const ask = (/** @type {Float64Array} */ x) => {
    const value = valley(x)
    asked.push({ x: x[0] ?? 0, y: x[1] ?? 0, value })
    return value
  }
  await minimize(ask, [-1.2, 1], { seed: 1 })
  const seconds = 6
  const at = ({ x, y }) => [((x - left) / (right - left)) * width, ((high - y) / (high - low)) * height]
  const dots = asked.map((each, i) => {
    const [x, y] = at(each)
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" style="animation-delay:${((i / asked.length) * seconds).toFixed(2)}s"/>`
  })
  const best = asked.filter((each, i) => asked.slice(0, i).every(({ value }) => each.value < value))
  const line = best
    .map((each) =>
      at(each)
        .map((v) => v.toFixed(1))
        .join(' '),
    )
    .join(' L')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${asked.length} queries find the bottom of a curved valley at (1, 1), from (-1.2, 1)</title>
<style>
circle{fill:#e8590c;opacity:0;animation:asked .3s forwards}
path{fill:none;stroke:#fff;stroke-width:2;stroke-dasharray:1000;stroke-dashoffset:1000;animation:walk ${seconds}s linear forwards}
@keyframes asked{to{opacity:.85}}
@keyframes walk{to{stroke-dashoffset:0}}
@media (prefers-reduced-motion:reduce){circle{animation:none;opacity:.85}path{animation:none;stroke-dashoffset:0}}
</style>
${map()}
<path d="M${line}"/>
${dots.join('\n')}
</svg>
`
}

/** The height of the valley in shades of blue, dark where it is low. */
function map() {
  const cells = []
  for (let y = 0; y < height; y += cell) {
    for (let x = 0; x < width; x += cell) {
      const a = left + ((x + cell / 2) / width) * (right - left)
      const b = high - ((y + cell / 2) / height) * (high - low)
      const shade = Math.min(1, Math.log10(1 + valley([a, b])) / 3.4)
      cells.push(
        `<rect x="${x}" y="${y}" width="${cell}" height="${cell}" fill="hsl(215 55% ${Math.round(18 + 70 * shade)}%)"/>`,
      )
    }
  }
  return `<g shape-rendering="crispEdges">${cells.join('')}</g>`
}
