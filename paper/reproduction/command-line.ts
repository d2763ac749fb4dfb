import { complain, newProgram } from '../../src/app/cli/program.ts'
import { keep } from './commands/keep.ts'
import { list } from './commands/list.ts'
import { report } from './commands/report.ts'
import { withReproduction } from './commands/reproduce.ts'
import { resume } from './commands/resume.ts'
import { show } from './commands/show.ts'
import { invocation } from './invocation.ts'

/** Runs `npm run reproduce` with the given arguments; returns its exit code. */
export async function runReproduce(args: readonly string[]): Promise<number> {
  const program = withReproduction(newProgram(invocation([]))).enablePositionalOptions()
  for (const command of [resume(), show(), list(), report(), keep()]) {
    program.addCommand(command.copyInheritedSettings(program))
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return await complain(error, args, invocation(['resume']))
  }
}
