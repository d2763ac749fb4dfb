import { html, type Markup } from '../markup.ts'

/** Pictures narrower than this are enlarged; their pixels then stay squares. */
const small = 128

/** A picture within a page, or nothing where there is none; an address that is not the picture itself is none. */
export function picture(address: string | undefined, said: string): Markup | undefined {
  if (address === undefined || !/^data:image\/(png|jpeg|webp|gif);base64,[\w+/=]+$/.test(address)) return undefined
  const size = pngSize(address)
  const look = size !== undefined && size.width < small ? 'picture squares' : 'picture'
  const sides = size === undefined ? undefined : html` width="${size.width}" height="${size.height}"`
  return html`<img class="${look}" src="${address}" alt="${said}"${sides}/>`
}

/** The size of a PNG picture, which is in its first bytes. */
function pngSize(address: string): { width: number; height: number } | undefined {
  const [head = '', data = ''] = address.split(',')
  if (head !== 'data:image/png;base64' || data.length < 32) return undefined
  const bytes = atob(data.slice(0, 32))
  const number = (at: number): number => [0, 1, 2, 3].reduce((value, i) => value * 256 + bytes.charCodeAt(at + i), 0)
  return { width: number(16), height: number(20) }
}
