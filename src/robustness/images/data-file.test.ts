import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { pathWithin } from './data-file.ts'

const outside = realpathSync(mkdtempSync(join(tmpdir(), 'zeroth-paths-')))
afterAll(() => rmSync(outside, { recursive: true }))
const folder = join(outside, 'images')
mkdirSync(join(folder, 'cats'), { recursive: true })
mkdirSync(join(outside, 'images-too'))
for (const file of ['secret.png', 'images-too/b.png', 'images/cats/a.png', 'images/..a.png']) {
  writeFileSync(join(outside, file), '')
}
symlinkSync(join(outside, 'secret.png'), join(folder, 'out.png'))
symlinkSync(outside, join(folder, 'up'))
symlinkSync(join(folder, 'cats', 'a.png'), join(folder, 'in.png'))
symlinkSync(join(folder, 'nowhere.png'), join(folder, 'broken.png'))

describe('a path inside is had in full', () => {
  test.each([
    ['cats/a.png', 'cats/a.png'],
    ['./cats/a.png', 'cats/a.png'],
    ['cats//a.png', 'cats/a.png'],
    ['in.png', 'cats/a.png'],
    ['..a.png', '..a.png'],
  ])('%s', async (path, real) => {
    expect(await pathWithin(folder, path, 'here')).toBe(join(folder, real))
  })
})

describe('a path that leads out is refused', () => {
  const dots = [
    '..',
    '../secret.png',
    '../images-too/b.png',
    'cats/../../secret.png',
    'cats/../cats/a.png',
    '../..',
    '..\\x',
  ]
  const absolute = [
    '/etc/passwd',
    join(outside, 'secret.png'),
    join(folder, 'cats/a.png'),
    'C:\\x.png',
    '\\\\host\\x',
    '\\x',
  ]
  test.each([...dots, ...absolute, '', 'cats/a.png\0.jpg', 'cats\\..\\..\\secret.png'])('%j', async (path) => {
    await expect(pathWithin(folder, path, 'here')).rejects.toMatchObject({
      code: 'invalid-data',
      message: `here: must be a path inside ${folder} without "..", got ${JSON.stringify(path)}`,
    })
  })

  test.each(['out.png', 'up/secret.png', 'up', 'up/images-too/b.png', 'up/images'])('the link %s', async (path) => {
    const message = `here: must be a file inside ${folder}, but "${path}" is a link that leads out of it`
    await expect(pathWithin(folder, path, 'here')).rejects.toMatchObject({ code: 'invalid-data', message })
  })

  test.each(['%2e%2e/secret.png', '..%2fsecret.png', '....//secret.png', '~/x.png', 'broken.png', '．．/secret.png'])(
    '%s is not taken for anything but a name',
    async (path) => {
      await expect(pathWithin(folder, path, 'here')).rejects.toThrow(`here: there is no file "${path}" in ${folder}`)
    },
  )
})
