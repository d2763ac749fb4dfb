import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository: the nearest one above with a package.json, from the sources and from what is built. */
export const root = folderWith('package.json', dirname(fileURLToPath(import.meta.url)))

function folderWith(file: string, folder: string): string {
  return existsSync(join(folder, file)) || folder === dirname(folder) ? folder : folderWith(file, dirname(folder))
}
