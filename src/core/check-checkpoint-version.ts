import { checkpointVersion } from './checkpoint.ts'
import { ZerothError } from './errors.ts'

/** Refuses a checkpoint that another version of zeroth wrote. */
export function checkCheckpointVersion(found: unknown): void {
  if (typeof found !== 'number' || found === checkpointVersion) return
  const [writer, advice] =
    found < checkpointVersion
      ? ['an earlier', 'finish the run with the version of zeroth that wrote it, or start it again']
      : ['a newer', 'update this one']
  const what = `the checkpoint has version ${found}, written by ${writer} zeroth`
  throw new ZerothError('invalid-checkpoint', `${what}; this one reads version ${checkpointVersion}: ${advice}`)
}
