import { expect, test } from 'vitest'
import { scalarKernels as k } from './scalar.ts'
import { philox } from './philox.ts'
test('x', () => {
  const b = new Uint32Array(4); philox(b, 0, 0); console.log([...b].map((x) => x.toString(16)))
  b.fill(0xffffffff); philox(b, 0xffffffff, 0xffffffff); console.log([...b].map((x) => x.toString(16)))
  b.set([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]); philox(b, 0xa4093822, 0x299f31d0); console.log([...b].map((x) => x.toString(16)))
  const d = 1_000_003; const z = new Float64Array(d), x = new Float64Array(d)
  let t = performance.now(); k.perturb(x, 1, { seed: 1, iteration: 1, row: 0 }, z, 0); console.log('ns/normal', (performance.now() - t) / d * 1e6)
  let m = [0, 0, 0, 0]; for (const v of z) { m[0]! += v; m[1]! += v * v; m[2]! += v * v * v; m[3]! += v ** 4 }
  console.log(m.map((v) => v / d), k.normalsSquared({ seed: 1, iteration: 1, row: 0 }, d) / m[1]! - 1)
  let l1=0; for (let i=1;i<d;i++) l1+=z[i]!*z[i-1]!; console.log('lag1', l1/Math.sqrt(d), 'max', Math.max(...z.slice(0,100000)))
})
