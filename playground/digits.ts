import labelBytes from 'digits:labels'
import pixelBytes from 'digits:pixels'
import type { ImageShape } from '../src/core/types.ts'
import { paintOn } from './attack-view.ts'

/** The shape of the embedded digits. */
export const digitShape: ImageShape = { channels: 1, height: 28, width: 28 }

const area = digitShape.height * digitShape.width

/** The class of a digit. */
export function digitLabel(digit: number): number {
  return labelBytes[digit] as number
}

/** The pixels of a digit, from 0 to 1. */
export function digitPixels(digit: number): Float32Array {
  return Float32Array.from(pixelBytes.subarray(digit * area, (digit + 1) * area), (byte) => byte / 255)
}

/** A button for every digit. */
export function digitButtons(choose: (digit: number) => void): HTMLElement[] {
  return Array.from(labelBytes, (label, digit) => {
    const button = document.createElement('button')
    const canvas = document.createElement('canvas')
    button.type = 'button'
    button.ariaLabel = `digit ${digit + 1}, a ${label}`
    button.append(canvas)
    button.onclick = () => choose(digit)
    paintOn(canvas, digitShape, digitPixels(digit), (pixel) => 255 * pixel)
    return button
  })
}

/** Marks the button of the digit that is chosen; none where there is none. */
export function markDigit(buttons: HTMLElement, digit: number | undefined): void {
  for (const [i, button] of [...buttons.children].entries()) button.setAttribute('aria-pressed', String(i === digit))
}
