import process from 'node:process'
import { runTheory } from './command.ts'

process.exitCode = runTheory(process.argv.slice(2), {
  result: (line) => process.stdout.write(`${line}\n`),
  complaint: (line) => process.stderr.write(`${line}\n`),
})
