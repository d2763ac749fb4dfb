import { fileURLToPath } from 'node:url'
import type { EmbeddedName } from './embedded-names.ts'

/** The path of a file that ships with a classifier: src/embedded and dist/embedded are equally far from it. */
export function assetFile(name: EmbeddedName, file: string): string {
  return fileURLToPath(new URL(`../../assets/${name}/${file}`, import.meta.url))
}
