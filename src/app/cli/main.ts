#!/usr/bin/env node
import { runCommandLine } from './command-line.ts'
import { runProgram } from './program.ts'

await runProgram(runCommandLine)
