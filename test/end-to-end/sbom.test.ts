import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sbom } from '../../scripts/sbom.mjs'

interface Component {
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version?: string
  readonly scope: string
  readonly type: string
  readonly purl?: string
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses: readonly object[]
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url))
const { components, dependencies, serialNumber } = JSON.parse(sbom()) as {
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
  serialNumber: string
}
const names = (scope: string) =>
  components.filter((each) => each.scope === scope).map(({ group, name }) => (group ? `${group}/${name}` : name))

test('the bill of materials has what is installed with the package, the code in it, and what some uses need', () => {
  const { dependencies: own, peerDependencies } = JSON.parse(String(read('package.json')))
  expect(names('required')).toEqual(
    expect.arrayContaining([...Object.keys(own), 'iobuffer', 'hono', 'd3-shape', 'preact']),
  )
  expect(names('optional')).toEqual(expect.arrayContaining([...Object.keys(peerDependencies), 'msgpackr']))
  expect(names('excluded')).toEqual([])
  const terms = String(read('THIRD-PARTY-LICENSES')).match(/(?<=^-{80}\n\n)\S+ \S+(?= \(.+\)$)/gm) ?? []
  const versions = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`)
  expect(terms.length).toBeGreaterThan(30)
  expect(terms.filter((each) => !versions.includes(each))).toEqual([])
})

test('with --dev it has every package of the lock file once', () => {
  const all = JSON.parse(sbom({ dev: true })).components as Component[]
  const locked = Object.keys(JSON.parse(String(read('package-lock.json'))).packages).filter((path) => path !== '')
  const packages = all.flatMap((each) => (each.purl === undefined ? [] : each['bom-ref']))
  expect(packages).toEqual(locked.sort())
})

test('each component has its licence, and its hash as far as that is known', () => {
  expect(components.filter(({ licenses }) => licenses.length === 0)).toEqual([])
  const bare = components.filter(({ hashes }) => hashes.length === 0).map(({ name }) => name)
  // Binaries for other machines that the registry had not when they were locked.
  expect(bare.filter((name) => !name.startsWith('msgpackr-extract-'))).toEqual([])
  const { integrity } = JSON.parse(String(read('package-lock.json'))).packages['node_modules/yaml']
  const content = components.find(({ name }) => name === 'yaml')?.hashes[0]?.content ?? ''
  expect(`sha512-${Buffer.from(content, 'hex').toString('base64')}`).toBe(integrity)
})

test('the images in the package are data under their own licence', () => {
  const path = 'assets/digits/images-idx3-ubyte'
  expect(components.find(({ name }) => name === path)).toMatchObject({
    type: 'data',
    licenses: [{ license: { id: 'CC-BY-SA-3.0' } }],
    hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(read(path)).digest('hex') }],
  })
  expect(components.filter(({ name }) => /cifar10.*(images|labels)/.test(name))).toEqual([])
})

test('whatever depends on something refers to a component, and the same lock file gives the same bytes', () => {
  const { version } = JSON.parse(String(read('package.json')))
  const known = new Set([`zeroth@${version}`, ...components.map((each) => each['bom-ref'])])
  expect(known.size).toBe(components.length + 1)
  expect(dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref))).toEqual([])
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(JSON.parse(sbom()).serialNumber).toBe(serialNumber)
})
