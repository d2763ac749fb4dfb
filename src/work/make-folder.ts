import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Makes a folder and those above it, one after the other: Node's own way of doing so never returns below /proc. */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = []
  for (let at = resolve(folder); ; at = dirname(at)) {
    const made = await mkdir(at).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return true
        if (error.code === 'ENOENT' && dirname(at) !== at) return false
        throw error
      },
    )
    if (made) break
    missing.push(at)
  }
  for (const each of missing.reverse()) await mkdir(each)
}
