/** A text cut in its middle, where the ends say more. */
export function shortened(text: string, length: number): string {
  const characters = [...text]
  if (characters.length <= length) return text
  const half = Math.floor((length - 1) / 2)
  return `${characters.slice(0, length - 1 - half).join('')}…${characters.slice(-half).join('')}`
}
