import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { completionScripts } from './completion.ts'

const words = {
  commands: { minimize: ['--solver', '--seed', '-j', '--help'], resume: ['--max-queries', '--help'], docs: ['--help'] },
  values: { '--solver': ['zo-adamm', 'zo-sgd'], docs: ['minimize', 'options'] },
  takingRuns: ['resume'],
  runsFolder: 'zeroth-runs',
}
const script = (shell: string): string => completionScripts[shell]?.(words) ?? ''

test('bash completes commands, options, values and runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-complete-'))
  mkdirSync(join(folder, 'zeroth-runs/a-run'), { recursive: true })
  const complete = (...line: string[]): string[] => {
    const call = `${script('bash')}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _zeroth; echo "\${COMPREPLY[*]}"`
    const text = execFileSync('bash', ['-c', call, 'bash', 'zeroth', ...line], { cwd: folder, encoding: 'utf8' })
    return text.split(/\s+/).filter((word) => word !== '')
  }
  try {
    expect(complete('')).toEqual(['minimize', 'resume', 'docs', 'help', '--help', '--version'])
    expect(complete('mi')).toEqual(['minimize'])
    expect(complete('help', 're')).toEqual(['resume'])
    expect(complete('minimize', '--se')).toEqual(['--seed'])
    expect(complete('minimize', '--solver', '')).toEqual(['zo-adamm', 'zo-sgd'])
    expect(complete('resume', 'a')).toEqual(['a-run'])
    expect(complete('docs', 'op')).toEqual(['options'])
    expect(complete('minimize', 'a')).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the scripts of other shells hold the same words', () => {
  expect(script('zsh')).toMatch(/^#compdef zeroth\n/)
  for (const word of [
    'minimize) compadd -- --solver --seed',
    'compadd -- zo-adamm zo-sgd',
    'docs) compadd -- minimize options',
  ]) {
    expect(script('zsh')).toContain(word)
  }
  expect(script('fish').split('\n')).toContain(
    "complete -c zeroth -n '__fish_seen_subcommand_from minimize' -l solver -x -a 'zo-adamm zo-sgd'",
  )
  expect(script('fish').split('\n')).toContain(
    "complete -c zeroth -n '__fish_seen_subcommand_from docs' -f -a 'minimize options'",
  )
})
