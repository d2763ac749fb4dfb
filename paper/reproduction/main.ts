import { runProgram } from '../../src/cli/run-program.ts'
import { runReproduce } from './command-line.ts'

await runProgram(runReproduce)
