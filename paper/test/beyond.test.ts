import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from './call.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-beyond-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const asset = (name: string) => fileURLToPath(new URL(`../../assets/digits/${name}`, import.meta.url))
const images = JSON.stringify({ idx: { images: asset('images-idx3-ubyte'), labels: asset('labels-idx1-ubyte') } })
const preprocessing = ['--preprocessing', asset('model.preprocessing.json')]
const subject = ['--scale', 'full', '--model', asset('model.onnx'), '--images', images, ...preprocessing]

describe('beyond the paper with a network of the user', () => {
  const out = join(folder, 'own')
  const small = ['--count', '2', '--iterations', '8', '--workers', '1', '--out', out]
  const first = call('beyond', ...subject, ...small, '--json')

  test('takes given rates and makes one attack for each method', async () => {
    const { code, stdout, stderr } = await first
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ status: 'finished', cells: 11, done: 11, claims: [] })
    expect(result.findings[0]).toMatch(/^The goal: zeroth needs at least 4 times fewer queries/)
    expect(result.findings).toHaveLength(2)
    expect(result.files).toEqual(expect.arrayContaining(['beyond.csv', 'beyond-paired.csv', 'index.html', 'index.md']))
    expect(readdirSync(join(out, 'cells'))).toContain('per-image-constrained-zo-adamm')
  })

  test('shares its attacks with the tables of the paper', async () => {
    await first
    const { code, stdout } = await call('table-a3', ...small, '--only', 'constrained-zo-nes', '--json')
    expect(code).toBe(0)
    // ZO-NES on constrained problems is there; ZO-SMD and the unconstrained ones are not wanted now.
    expect(JSON.parse(stdout)).toMatchObject({ status: 'partial', done: 11 })
    expect(readFileSync(join(out, 'table-a3.csv'), 'utf8')).toMatch(/constrained,ZO-NES,0\.009,2,/)
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('ZO-AdaMM reproduced')
  })

  test('is not part of all, and can be wanted beside it', async () => {
    const paper = join(folder, 'paper')
    const what = () => JSON.parse(readFileSync(join(paper, 'reproduce.json'), 'utf8')).what
    await call('table-1', '--out', paper)
    await call('all', '--redraw', '--out', paper)
    expect(what()).toHaveLength(10)
    expect(what()).not.toContain('beyond')
    await call('all', 'beyond', '--redraw', '--out', paper)
    expect(what()).toHaveLength(11)
    expect(what()).toContain('beyond')
  })

  test('is known by its name', async () => {
    const { code, stderr } = await call('beyon', '--out', join(folder, 'none'))
    expect(code).not.toBe(0)
    expect(stderr).toContain('did you mean beyond?')
    expect((await call('--help')).stdout).toContain('npm run reproduce -- beyond')
  })
})
