import type { StoreFiles } from '../../src/app/store/run-file.ts'

export type FileCall = Exclude<keyof StoreFiles, 'later'>

/** Lets the n-th call of one kind fail as a broken or full disk would; a failing write leaves half of its bytes. */
export function faultyFiles(
  files: StoreFiles,
  call: FileCall,
  nth: number,
  code: string,
): StoreFiles & { failed: boolean } {
  let calls = 0
  const faulty = { ...files, failed: false }
  const original = files[call] as (...args: unknown[]) => unknown
  const failing = (...args: unknown[]): unknown => {
    if (++calls !== nth) return original(...args)
    faulty.failed = true
    if (call === 'write') original(args[0], args[1], args[2], Math.floor((args[3] as number) / 2))
    throw Object.assign(new Error(`${code}: it is only a test, ${call}`), { code })
  }
  return Object.assign(faulty, { [call]: failing })
}
