import { moduleObjective } from '../../optimizer/objectives/module.ts'
import { workersObjective } from '../../optimizer/objectives/workers.ts'
import { commandObjective } from './command.ts'
import { execObjective } from './exec.ts'
import { httpObjective } from './http.ts'
import { openInferenceObjective } from './open-inference.ts'

export * from '../../optimizer/objectives/module.ts'
export * from '../../optimizer/objectives/workers.ts'
export { type CallLogFile, callLogFile, readCallLog } from '../../optimizer/wrappers/call-log-file.ts'
export { commandDetails, commandObjective, settingWords } from './command.ts'
export * from './exec.ts'
export * from './http.ts'
export * from './open-inference.ts'

/** Every black box outside of this program. */
export const objectives = [
  commandObjective,
  execObjective,
  httpObjective,
  moduleObjective,
  openInferenceObjective,
  workersObjective,
]
