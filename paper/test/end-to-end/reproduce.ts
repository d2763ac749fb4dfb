import { type Call, type Ended, type Started, start } from '../../../test/end-to-end/zeroth.ts'
import { built } from './built.ts'

const program = built('reproduction/main')

/** Starts `npm run reproduce` as a process of its own. */
export function startReproduce(args: readonly string[], call: Call): Started {
  return start(args, call, program)
}

/** Calls `npm run reproduce` and waits for its end. */
export function reproduce(args: readonly string[], call: Call): Promise<Ended> {
  return startReproduce(args, call).ended
}
