// @ts-check
// npm run sbom: writes what the package consists of as a CycloneDX file, from the lock file: the code in dist that is of others,
// what is installed with it, what some uses need, and the data in assets. With --dev what builds and tests it, too.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {{ name?: string, version: string, license?: string, integrity?: string, dependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string>,
 *   peerDependenciesMeta?: Record<string, { optional?: boolean }> }} Locked
 * @typedef {'required' | 'optional' | 'excluded'} Scope
 */

const root = fileURLToPath(new URL('..', import.meta.url))
/** @param {string} path */
const read = (path) => readFileSync(join(root, path))
const pack = JSON.parse(String(read('package.json')))
/** @type {Record<string, Locked>} */
const locked = JSON.parse(String(read('package-lock.json'))).packages

/** Files of others, and networks that were trained on them. */
const assets = [
  {
    path: 'assets/digits/images-idx3-ubyte',
    type: 'data',
    license: 'CC-BY-SA-3.0',
    author: 'Yann LeCun, Corinna Cortes, Christopher J. C. Burges',
    description: 'the first 170 images of the MNIST test set',
  },
  {
    path: 'assets/digits/labels-idx1-ubyte',
    type: 'data',
    license: 'CC-BY-SA-3.0',
    author: 'Yann LeCun, Corinna Cortes, Christopher J. C. Burges',
    description: 'their classes',
  },
  ...['digits', 'cifar10'].map((name) => ({
    path: `assets/${name}/model.onnx`,
    type: 'machine-learning-model',
    license: 'Apache-2.0',
    author: 'The zeroth contributors',
    description: `a classifier that was trained on ${name === 'digits' ? 'MNIST' : 'CIFAR-10'}`,
  })),
]

/** Where the package `name` is found by the one at `from`, as Node looks for it. @param {string} name @param {string} from */
function resolved(name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (path in locked) return path
    if (at === '') return undefined
  }
}

/** The packages that one needs, as far as they are locked. @param {string} path */
function needs(path) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = /** @type {Locked} */ (locked[path])
  const names =
    path === ''
      ? Object.keys(dependencies)
      : Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.flatMap((name) => resolved(name, path) ?? []).sort()
}

/** These packages and all that they need. @param {Iterable<string>} paths */
function reachable(paths) {
  const found = new Set(paths)
  for (const path of found) for (const each of needs(path)) found.add(each)
  return found
}

/** Packages whose code is in dist, by name and version. */
const bundled = new Set(String(read('THIRD-PARTY-LICENSES')).match(/(?<=^-{80}\n\n)\S+ \S+(?= \(.+\)$)/gm))

/** @param {string} path */
const nameOf = (path) => locked[path]?.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
/** @param {string} path */
const isBundled = (path) => bundled.has(`${nameOf(path)} ${locked[path]?.version}`)

/** @param {string} path @param {Scope} scope */
function component(path, scope) {
  const { version, license, integrity } = /** @type {Locked} */ (locked[path])
  const name = nameOf(path)
  const [group, own] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const hash = integrity === undefined ? [] : [{ alg: 'SHA-512', content: hex(integrity) }]
  const property = isBundled(path)
    ? 'cdx:npm:package:bundled'
    : scope === 'excluded'
      ? 'cdx:npm:package:development'
      : undefined
  return {
    type: 'library',
    'bom-ref': refOf(path),
    ...(group === undefined ? {} : { group }),
    name: own,
    version,
    scope,
    hashes: hash,
    licenses:
      license === undefined ? [] : [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(property === undefined ? {} : { properties: [{ name: property, value: 'true' }] }),
  }
}

/** @param {string} integrity */
const hex = (integrity) => Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
/** Unlike names and versions, paths in node_modules are unique. @param {string} path */
const refOf = (path) => (path === '' ? `${pack.name}@${pack.version}` : path)

/** @param {typeof assets[number]} asset */
function assetComponent({ path, type, license, author, description }) {
  return {
    type,
    'bom-ref': path,
    author,
    name: path,
    description,
    scope: 'required',
    hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(read(path)).digest('hex') }],
    licenses: [{ license: { id: license } }],
  }
}

/** The whole file: the same text for the same lock file. @param {{ dev?: boolean }} [options] */
export function sbom({ dev = false } = {}) {
  const everything = Object.keys(locked).filter((path) => path !== '')
  const inside = everything.filter(isBundled)
  const required = new Set([...reachable(needs('')), ...inside])
  const peers = Object.keys(pack.peerDependencies).flatMap((name) => resolved(name, '') ?? [])
  const optional = reachable(peers)
  /** @param {string} path @returns {Scope} */
  const scopeOf = (path) => (required.has(path) ? 'required' : optional.has(path) ? 'optional' : 'excluded')
  const paths = everything.filter((path) => dev || scopeOf(path) !== 'excluded').sort()
  const known = new Set(paths)
  const direct = [...needs(''), ...inside, ...peers, ...assets.map(({ path }) => path)]
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'library',
        'bom-ref': refOf(''),
        name: pack.name,
        version: pack.version,
        description: pack.description,
        licenses: [{ license: { id: pack.license } }],
        purl: `pkg:npm/${pack.name}@${pack.version}`,
      },
    },
    components: [...paths.map((path) => component(path, scopeOf(path))), ...assets.map(assetComponent)],
    dependencies: [
      { ref: refOf(''), dependsOn: [...new Set(direct)].sort() },
      ...paths.map((path) => ({ ref: path, dependsOn: needs(path).filter((each) => known.has(each)) })),
    ],
  }
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5')
  return `${JSON.stringify({ $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json', ...body, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = 'sbom.cdx.json'
  const text = sbom({ dev: process.argv.includes('--dev') })
  writeFileSync(join(root, file), text)
  const { components } = JSON.parse(text)
  console.log(`${file}: ${components.length} components in CycloneDX 1.6`)
}
