import { setImmediate } from 'node:timers/promises'
import type { StoreFiles } from '../../src/app/store/run-file.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'

/** A file system whose slow calls are made beside the loop: each has happened two turns of it later. */
export function laterFiles<F extends StoreFiles>(files: F): F {
  const later = async <T>(call: () => T): Promise<T> => {
    await setImmediate()
    const result = call()
    await setImmediate()
    return result
  }
  return Object.assign(files, {
    later: {
      write: (file: number, bytes: Uint8Array, offset: number, length: number) =>
        later(() => files.write(file, bytes, offset, length)),
      rename: (from: string, to: string) => later(() => files.rename(from, to)),
      datasync: (file: number) => later(() => files.datasync(file)),
      syncFolder: (path: string) => later(() => files.syncFolder(path)),
    },
  })
}

/** An objective that takes a few turns of the loop, so that something can happen beside it. */
export function unhurried(objective: Objective, turns = 1): Objective {
  return {
    ...objective,
    dim: objective.dim,
    async evaluate(...batch) {
      for (let i = 0; i < turns; i++) await setImmediate()
      await objective.evaluate(...batch)
    },
  }
}
