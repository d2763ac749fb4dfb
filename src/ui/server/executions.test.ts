import { expect, test } from 'vitest'
import { executionsOf } from './executions.ts'

test('names programs with their arguments, modules, services and queues, wherever they stand', () => {
  expect(executionsOf({ objective: { name: 'exec', command: ['python3', 'my file.py', '--x=1'] } })).toEqual([
    { what: 'runs the program', text: 'python3 "my file.py" --x=1' },
  ])
  expect(executionsOf({ objective: { name: 'module', module: '/tmp/f.mjs' } })).toEqual([
    { what: 'loads the module', text: '/tmp/f.mjs' },
  ])
  expect(executionsOf({ objective: { name: 'http', url: 'http://u:p@h/f' }, queue: 'redis://h' })).toEqual([
    { what: 'asks the service', text: 'http://[hidden]@h/f' },
    { what: 'uses the queue', text: 'redis://h' },
  ])
  expect(executionsOf({ wrapped: { deep: [{ objective: { module: 'x.mjs' } }] } })).toEqual([
    { what: 'loads the module', text: 'x.mjs' },
  ])
})

test('says where there is nothing but what zeroth brings along', () => {
  expect(executionsOf({ objective: { name: 'rosenbrock' }, dim: 2 })).toEqual([
    { what: 'minimises', text: 'rosenbrock, which is part of zeroth' },
  ])
})
