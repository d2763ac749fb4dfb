import { describe, expect, test } from 'vitest'
import { limitOf, type Ran, sourceOf } from './measure.ts'

const json = '{"results": [{"tps": 12.5, "p 99": "7e2"}, {"tps": 13}], "name": "x", "none": null, "on": true}'
const ran = (stdout: string, stderr = ''): Ran => ({ seconds: 0.25, code: 3, stdout, stderr })

describe('is read of a run:', () => {
  test.each([
    ['time', ran(''), 0.25],
    ['exit-code', ran(''), 3],
    ['last-number', ran('took 3 s\nscore: -1.5e-3 points\n'), -0.0015],
    ['last-number', ran('done', 'rate 12,345.5/s'), 12345.5],
    ['last-number', ran('1', '2'), 1],
    ['json:.results[0].tps', ran(json), 12.5],
    ['json:results[-1].tps', ran(json), 13],
    ['json:.results[0].["p 99"]', ran(json), 700],
    ['json:[1]', ran('[4, 5]'), 5],
    ['json:.tps', ran('{"tps": 1}\nlog\n{"tps": 2}\nbye'), 2],
    ['regex:([0-9.]+) tok/s', ran('1.5 tok/s\n2.5 tok/s'), 2.5],
    ['regex:^score .*', ran('x\nscore = 7'), 7],
    ['regex:(\\S+) MB/s', ran('', '1,024 MB/s'), 1024],
  ])('%s', (text, given, value) => {
    expect(sourceOf(text, 'measure').read(given)).toBe(value)
  })
})

describe('says why there is no number:', () => {
  test.each([
    ['last-number', ran('done well'), 'printed no number: "done well"'],
    ['last-number', ran(''), 'printed no number: its output is empty'],
    ['json:.a', ran('hello'), 'printed no JSON: "hello"'],
    ['json:.results[0].qps', ran(json), 'printed JSON without .results[0].qps: .results[0] has tps, p 99'],
    ['json:.results[9]', ran(json), 'printed JSON without .results[9]: .results is a list of 2'],
    ['json:.name', ran(json), 'printed "x" as .name, which is no number'],
    ['json:.on', ran(json), 'printed true as .on, which is no number'],
    ['json:.none', ran(json), 'printed JSON without .none: it has results, name, none, on'],
    ['regex:(\\w+) tok', ran('many tok'), 'printed "many" there, which is no number'],
    ['regex:tok', ran('none'), 'printed nothing that tok matches: "none"'],
  ])('%s', (text, given, why) => {
    expect(sourceOf(text, 'measure').read(given)).toBe(why)
  })
})

test.each([
  [
    'tme',
    'measure must be time, exit-code, last-number, json:.path.to.a.number or regex:PATTERN, got "tme"; did you mean time?',
  ],
  ['regex:(', 'measure is no pattern: Invalid regular expression'],
  ['regex:', 'measure needs a pattern, as in regex:([0-9.]+) tok/s'],
  ['json:.a..b', 'measure must be a path such as json:.results[0].tps, got ".a..b"'],
  ['json:.a[x]', 'measure must be a path such as json:.results[0].tps, got ".a[x]"'],
])('%s is refused', (text, message) => {
  expect(() => sourceOf(text, 'measure')).toThrow(message)
})

test('a limit says by how much it is broken', () => {
  const most = limitOf('json:.results[0]["p 99"]<=500', 'limit')
  expect([most.text, most.read(ran(json)), most.excess(700), most.excess(500)]).toEqual([
    'json:.results[0]["p 99"] <= 500',
    700,
    200,
    0,
  ])
  expect(limitOf('last-number >= 0.9', 'limit').excess(0.5)).toBeCloseTo(0.4)
})

test.each(['json:.a < 5', 'time = 5', 'time <=', '<= 5', 'time <= x'])('the limit %s is refused', (text) => {
  expect(() => limitOf(text, 'limit')).toThrow(/^limit must be /)
})
