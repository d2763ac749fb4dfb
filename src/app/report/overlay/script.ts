import type { ChartData } from '../chart/axis.ts'
import { chartOverlay } from './chart-overlay.ts'

// The script of a report: scripts/page-script.mjs bundles it, with all it imports, into src/app/report/page/page-script.ts.

for (const figure of document.querySelectorAll('.chart')) {
  const [plot, data] = [figure.querySelector('.plot'), figure.querySelector('script')]
  if (plot && data) chartOverlay(plot as HTMLElement, JSON.parse(data.text) as ChartData)
}
largePictures()

/**
 * Shows the pictures of an image large when they are clicked, all of them in one dialog: the arrow keys go from image to
 * image, Escape closes.
 */
export function largePictures(): void {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-pictures]')]
  if (cards.length === 0) return
  const dialog = document.createElement('dialog')
  const tools = document.createElement('p')
  const shown = document.createElement('div')
  let now = 0
  const show = (index: number): void => {
    now = (index + cards.length) % cards.length
    shown.replaceChildren((cards[now] as HTMLElement).cloneNode(true))
    dialog.ariaLabel = (cards[now] as HTMLElement).dataset.pictures ?? ''
  }
  const actions: readonly (readonly [name: string, act: () => void])[] = [
    ['Previous', () => show(now - 1)],
    ['Next', () => show(now + 1)],
    ['Close', () => dialog.close()],
  ]
  for (const [name, act] of actions) {
    const button = document.createElement('button')
    button.textContent = name
    button.onclick = act
    tools.append(button)
  }
  dialog.onkeydown = ({ key }) => {
    if (key === 'ArrowLeft') show(now - 1)
    if (key === 'ArrowRight') show(now + 1)
  }
  dialog.append(tools, shown)
  document.body.append(dialog)
  for (const [index, card] of cards.entries()) {
    const button = card.querySelector('button')
    if (button) button.hidden = false
    card.onclick = (event) => {
      if (!(event.target as Element).matches('img, button')) return
      show(index)
      dialog.showModal()
    }
  }
}
