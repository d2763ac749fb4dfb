import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isAlive, thisProcess } from './process-identity.ts'

const linux = existsSync('/proc/self/stat')

/** The fields that Linux gives for a process behind its name. */
function fieldsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
}

test('this process is alive, and its start time is known where the system says it', () => {
  expect(isAlive(thisProcess())).toBe(true)
  expect(thisProcess().started === null).toBe(!linux)
})

test('a process that has ended is not alive', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  const identity = { ...thisProcess(), pid: child.pid as number, started: null }
  await once(child, 'exit')
  expect(isAlive(identity)).toBe(false)
})

test.runIf(linux)('a process that only has the number of another is not that one', () => {
  expect(isAlive({ ...thisProcess(), started: '1' })).toBe(false)
  expect(isAlive({ ...thisProcess(), boot: 'another start of the machine' })).toBe(false)
})

test.runIf(linux)('a zombie is not alive', async () => {
  // The shell starts a process, tells its number and becomes one that never asks what has become of it.
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'])
  const [said] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  try {
    const zombie = { ...thisProcess(), pid, started: fieldsOf(pid)[19] as string }
    while (fieldsOf(pid)[0] !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isAlive(zombie)).toBe(false)
  } finally {
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  }
})

test('of a process on another machine nobody can tell: it is taken to be alive', () => {
  expect(isAlive({ ...thisProcess(), host: 'another', pid: 1 })).toBe(true)
})
