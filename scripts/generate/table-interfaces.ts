import { attackProblemOptions } from '../../src/attacks/attack-problem.ts'
import { robustnessOptions } from '../../src/attacks/robustness-options.ts'
import type { Table } from '../../src/core/option-type.ts'
import { describedSession } from '../../src/core/session-sentences.ts'
import { cifarOptions } from '../../src/datasets/cifar-png.ts'
import { folderOptions } from '../../src/datasets/folder.ts'
import { idxOptions } from '../../src/datasets/idx.ts'
import { imageOptions } from '../../src/datasets/read-image.ts'
import { pacedOptions } from '../../src/models/paced.ts'
import { batchOptions } from '../../src/objectives/batched.ts'
import { functionOptions } from '../../src/objectives/function.ts'
import { queueControlOptions } from '../../src/queue/queue-control.ts'
import { queueObjectiveOptions } from '../../src/queue/queue-objective.ts'
import { serveRowsOptions } from '../../src/queue/serving.ts'
import { describedMinimize } from '../../src/run/minimize-sentences.ts'
import { threadOptions } from '../../src/threads/threaded-kernels.ts'
import { cachedOptions } from '../../src/wrappers/cached.ts'
import { loggedOptions } from '../../src/wrappers/call-record.ts'
import { limitedOptions } from '../../src/wrappers/limited.ts'
import { noisyOptions } from '../../src/wrappers/noisy.ts'
import { rateLimitedOptions } from '../../src/wrappers/rate-limited.ts'
import { retriedOptions } from '../../src/wrappers/retried.ts'
import { timedOptions } from '../../src/wrappers/timed.ts'
import { interfaceFile, interfaceName, type OptionSource } from './option-interfaces.ts'

const sources: Readonly<Record<string, readonly OptionSource[]>> = {
  'src/core/session-options.ts': [
    source('createSession', { sessionOptions: describedSession }, 'src/core/session-table.ts'),
  ],
  'src/run/run-options.ts': [
    source('minimize', { minimizeOptions: describedMinimize }, 'src/run/minimize-table.ts', 'RunOptions'),
  ],
  'src/objectives/function-options.ts': [
    source('functionObjective', { functionOptions }, 'src/objectives/function.ts'),
    source('batchedObjective', { batchOptions }, 'src/objectives/batched.ts'),
  ],
  'src/wrappers/wrapper-options.ts': [
    source('cached', { cachedOptions }, 'src/wrappers/cached.ts'),
    source('limited', { limitedOptions }, 'src/wrappers/limited.ts'),
    source('logged', { loggedOptions }, 'src/wrappers/call-record.ts'),
    source('noisy', { noisyOptions }, 'src/wrappers/noisy.ts'),
    source('rateLimited', { rateLimitedOptions }, 'src/wrappers/rate-limited.ts'),
    source('retried', { retriedOptions }, 'src/wrappers/retried.ts'),
    source('timed', { timedOptions }, 'src/wrappers/timed.ts'),
  ],
  'src/datasets/dataset-options.ts': [
    source('cifarDataset', { cifarOptions }, 'src/datasets/cifar-png.ts'),
    source('folderDataset', { folderOptions }, 'src/datasets/folder.ts'),
    source('idxDataset', { idxOptions }, 'src/datasets/idx.ts'),
    source('readImage', { imageOptions }, 'src/datasets/read-image.ts'),
  ],
  'src/models/paced-options.ts': [source('paced', { pacedOptions }, 'src/models/paced.ts')],
  'src/attacks/evaluation-options.ts': [
    source('attackProblem', { attackProblemOptions }, 'src/attacks/attack-problem.ts'),
    source('evaluateRobustness', { robustnessOptions }, 'src/attacks/robustness-options.ts'),
  ],
  'src/queue/queue-options.ts': [
    source('queueObjective', { queueObjectiveOptions }, 'src/queue/queue-objective.ts'),
    source('queueStatus', { queueControlOptions }, 'src/queue/queue-control.ts'),
    source('serveRows', { serveRowsOptions }, 'src/queue/serving.ts'),
  ],
  'src/threads/thread-options.ts': [source('threadedKernels', { threadOptions }, 'src/threads/threaded-kernels.ts')],
}

/** The documented interfaces of options that belong to functions instead of parts, by path. */
export function tableInterfaces(): [string, string][] {
  return Object.entries(sources).map(([path, own]) => [path, interfaceFile(path, own)])
}

/** The options of `owner`, whose table is exported by `from` under the name it has here. */
function source(owner: string, exported: Record<string, Table>, from: string, name?: string): OptionSource {
  const [entry] = Object.entries(exported)
  if (entry === undefined) throw new Error(`${owner} has no table`)
  const [typeOf, table] = entry
  return { name: name ?? interfaceName(typeOf), owner, table, input: `Input<typeof ${typeOf}>`, typeOf, from }
}
