import { runProgram } from '../../src/app/cli/program.ts'
import { runReproduce } from './command-line.ts'

await runProgram(runReproduce)
