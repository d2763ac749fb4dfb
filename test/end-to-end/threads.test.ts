import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { attackObject, essence, outcomes } from './attack-results.ts'
import { mortalServer, outageRun } from './outage.ts'
import { start, zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-threads-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const network = fileURLToPath(new URL('../../assets/digits/model.onnx', import.meta.url))
const few = ['--count', '5', '--max-queries', '150', '--json']

describe.concurrent('an attack whose images are made by several threads', () => {
  test.each([
    ['within limits, with a second method', ['--model', 'digits', '--linf', '0.05,0.1', '--solver', 'zo-adamm']],
    [
      'of answers that are classes',
      ['--model', network, '--images', 'digits', '--preprocessing', '{ scores: labels }'],
    ],
  ])('comes to the same files (%s)', async (name, args) => {
    const folders = ['1', '3'].map((threads) => `${name.replaceAll(' ', '-')}-${threads}`)
    for (const [i, folder] of folders.entries()) {
      const ended = await zeroth(['attack', ...args, ...few, '--threads', i === 0 ? '1' : '3', '--out', folder], {
        cwd,
      })
      expect(ended.code).toBe(0)
      expect(attackObject(ended).images).toHaveLength(5)
    }
    const [one, three] = folders.map((folder) => essence(join(cwd, folder)))
    expect(three).toEqual(one)
    expect(Object.keys(three ?? {}).length).toBeGreaterThan(15)
  })

  test('waits for a server that is killed, and comes to the same', async () => {
    const how = { at: 6, seconds: 2, options: ['--threads', '2'] }
    const { ended, isSame } = await outageRun(cwd, 'outage', how)
    expect(ended.code).toBe(0)
    expect(isSame).toBe(true)
    expect(ended.stderr).toMatch(/images were retried/)
  })

  test('can be ended at any moment, interrupted or killed, and resumed, with the same end as by one thread', async () => {
    const server = await mortalServer()
    const args = ['attack', '--model', `${server.url}/v2/models/digits`, '--images', 'digits', '--permitted', ...few]
    const requests = (count: number) =>
      new Promise<void>((resolve) => {
        let heard = 0
        server.hear(() => {
          if (++heard === count) resolve()
        })
      })
    try {
      expect((await zeroth([...args, '--threads', '1', '--out', 'whole'], { cwd })).code).toBe(0)
      for (const [signal, code] of [['SIGINT', 130] as const, ['SIGKILL', null] as const]) {
        const reached = requests(25)
        const { child, ended } = start([...args, '--threads', '3', '--out', signal], { cwd })
        await reached
        child.kill(signal)
        expect((await ended).code).toBe(code)
        expect((await zeroth(['resume', signal, '--json'], { cwd })).code).toBe(0)
        expect(outcomes(join(cwd, signal))).toEqual(outcomes(join(cwd, 'whole')))
      }
    } finally {
      await server.close()
    }
  })
})

test('a number of threads that is none is refused, with what is allowed', async () => {
  const { code, stderr } = await zeroth(['attack', '--model', 'digits', '--threads', '0', '--out', 'none'], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain('--threads')
})

test('threads that have nothing to do for one perturbation are said to do nothing', async () => {
  const asked = ['--model', 'digits', '--count', '2', '--universal', '--max-queries', '50', '--threads', '2']
  const { code, stdout, stderr } = await zeroth(['attack', ...asked, '--out', 'universal'], { cwd })
  expect(code).toBe(0)
  expect(`${stdout}${stderr}`).toContain('threads: 2 does nothing for one perturbation for all images')
})
