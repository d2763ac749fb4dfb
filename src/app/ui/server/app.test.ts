import { expect, test } from 'vitest'
import { sampleRun } from '../../../../test/report/sample-run.ts'
import { runPage } from '../../report/run/run-page.ts'
import { reportPolicy } from './app.ts'

const { html } = runPage([sampleRun()], { title: 'a' })
const [hash = ''] = /'sha256-[^']+'/.exec(html) ?? []

function scriptsOf(page: string): string | undefined {
  return /script-src ([^;]*);/.exec(reportPolicy(page.slice(0, 1024)))?.[1]
}

test('a report runs the script that its own policy names, and no other', () => {
  expect(hash).toMatch(/^'sha256-.{43}='$/)
  expect(scriptsOf(html)).toBe(hash)
  expect(scriptsOf(html.replace(hash, `'sha256-${'A'.repeat(43)}=' ${hash}`))).toBe(
    `'sha256-${'A'.repeat(43)}=' ${hash}`,
  )
})

test.each([
  ['without a policy', '<script>alert(1)</script>'],
  ['that allows every inline script', html.replace(hash, `'unsafe-inline'`)],
  ['that allows others beside its own', html.replace(hash, `${hash} 'unsafe-inline'`)],
  ['that allows scripts of a site', html.replace(hash, `${hash} https://example.org`)],
  ['with another header in it', html.replace(hash, `${hash}\r\nx-header: 1`)],
  ['whose policy is not in its usual place', html.replace('<head>', '<head><script>alert(1)</script>')],
  ['that is empty', ''],
])('a page %s runs no script', (_, page) => {
  expect(scriptsOf(page)).toBe(`'none'`)
})
