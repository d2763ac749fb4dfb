import { runProgram } from '../../src/cli/program.ts'
import { runReproduce } from './command-line.ts'

await runProgram(runReproduce)
