#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { commands } from './commands.ts'

const { version, description } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Record<string, string>

const examples = `
Examples:
  $ zeroth minimize --function rosenbrock --dim 10 --max-queries 5000
  $ zeroth minimize problem.yaml --seed 7
  $ zeroth resume zeroth-runs/problem-7
  $ zeroth report zeroth-runs/problem-7

Every command has its own help: zeroth <command> --help`

process.exitCode = await run(process.argv.slice(2))

/** Runs the command line; returns the exit code. */
async function run(args: readonly string[]): Promise<number> {
  const program = new Command('zeroth')
    .description(description ?? '')
    .version(version ?? '')
    .addHelpText('after', examples)
    .exitOverride()
  const wanted = args.find((arg) => !arg.startsWith('-'))
  for (const { name, summary, load } of commands) {
    // Only the command that is called is loaded: help must not wait for what it does not show.
    if (name === wanted || wanted === 'help') program.addCommand((await load()).command().name(name).description(summary))
    else program.command(name).description(summary)
  }
  for (const command of program.commands) command.exitOverride()
  try {
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return await explain(error)
  }
}

/** Says what went wrong in one line on stderr, and what exit code it means. */
async function explain(error: unknown): Promise<number> {
  // Commander has printed its own message already, help and version included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const { exitCodeOf, exitCodes } = await import('./exit-codes.ts')
  const { ZerothError } = await import('../index.ts')
  const isOurs = error instanceof ZerothError
  const text = isOurs ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`zeroth: ${text}\n`)
  return isOurs ? exitCodeOf(error.code) : exitCodes.failed
}
