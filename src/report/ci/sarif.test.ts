import { expect, test } from 'vitest'
import { checkedAttack } from '../../../test/report/checked-attack.ts'
import { sarifJson } from './sarif.ts'

test('SARIF has the fields that its schema and code scanning require', () => {
  const { $schema, version, runs } = JSON.parse(sarifJson(checkedAttack({ failUnder: 0.9 }), process.cwd()))
  expect([$schema, version, runs.length]).toEqual(['https://json.schemastore.org/sarif-2.1.0.json', '2.1.0', 1])
  const [{ tool, results }] = runs
  expect(tool.driver).toMatchObject({ name: 'zeroth', version: '0.1.0' })
  expect(results.map((each: { ruleId: string; level: string }) => [each.ruleId, each.level])).toEqual([
    ['robust-accuracy', 'error'],
    ['adversarial-image', 'warning'],
    ['unmeasured-image', 'warning'],
  ])
  for (const { ruleId, ruleIndex, message, locations, partialFingerprints } of results) {
    expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
    expect(message.text).not.toBe('')
    expect(locations[0].physicalLocation.artifactLocation.uri).toMatch(/^runs\/a\/[\w./%-]+$/)
    expect(locations[0].physicalLocation.region.startLine).toBe(1)
    expect(Object.values(partialFingerprints)).toHaveLength(1)
  }
})

test('SARIF names the file of an image that lies in a folder, encoded as an address', () => {
  const { runs } = JSON.parse(sarifJson(checkedAttack({ images: { folder: { folder: '/data/my photos' } } }), '/data'))
  expect(runs[0].results[0].level).toBe('error')
  expect(runs[0].results[1].locations[0].physicalLocation.artifactLocation.uri).toBe('my%20photos/d.png')
  const outside = JSON.parse(sarifJson(checkedAttack({ images: { folder: { folder: '/data/x' } } }), '/work'))
  expect(outside.runs[0].results[1].locations[0].physicalLocation.artifactLocation.uri).toBe('file:///data/x/d.png')
})
