import { writeAtomically } from './run-file.ts'
import { nodeFiles } from './store-files.ts'

/** Puts a file in its place so that at every moment, a power cut included, either the old or the whole new one is there. */
export function writeWholeFile(path: string, content: string | Uint8Array): void {
  writeAtomically(nodeFiles, path, [typeof content === 'string' ? new TextEncoder().encode(content) : content])
}
