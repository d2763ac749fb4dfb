import { type Called, called } from '../../test/cli/call.ts'
import { runReproduce } from '../reproduction/command-line.ts'

/** Calls `npm run reproduce` in this process, in the current folder. */
export function call(...args: readonly string[]): Promise<Called> {
  return called(() => runReproduce(args))
}
