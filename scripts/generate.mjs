// npm run gen: writes all that follows from the parts and from assembly/. With --check it writes nothing, names what is out
// of date and fails.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { filesFromParts } from './generate/from-parts.mjs'
import { kernelFiles } from './generate/kernels.mjs'
import { readIfThere, root } from './generate/places.mjs'

try {
  await main(process.argv.includes('--check'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** @param {boolean} check */
async function main(check) {
  const wanted = new Map([...(await filesFromParts()), ...(await kernelFiles())])
  const stale = [...wanted].filter(([path, text]) => readIfThere(path) !== text)
  if (check && stale.length > 0) {
    const names = stale.map(([path]) => `  ${path}`).join('\n')
    throw new Error(`out of date:\n${names}\nRun npm run gen and commit the result.`)
  }
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}
