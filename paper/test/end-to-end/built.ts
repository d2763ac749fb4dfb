import { fileURLToPath } from 'node:url'

/** A program of paper/ as it is built. */
export function built(name: string): string {
  return fileURLToPath(new URL(`../../../.paper/paper/${name}.js`, import.meta.url))
}
