import { expect, test } from 'vitest'
import { commandOf } from './command-of.ts'
import { experiments } from './tables/index.ts'

const all = experiments.map(({ name }) => name)
const record = { created: '', zeroth: '', machine: {}, seconds: 0, what: all, settings: { scale: 'quick' } } as const

test('says everything that decides the numbers, whether or not it was said before', () => {
  expect(commandOf('/some/where/x', record)).toBe('npm run reproduce -- --scale quick --profile tuned --seed 1 --out x')
  const settings = { scale: 'quick', count: 3, iterations: 5, class: 4, seed: 7, profile: 'paper' } as const
  expect(commandOf('x y', { ...record, what: ['table-2', 'fig-1'], settings })).toBe(
    "npm run reproduce -- table-2 fig-1 --scale quick --count 3 --iterations 5 --class 4 --seed 7 --profile paper --out 'x y'",
  )
})

test('says what it is about: nothing for all of the paper, and what goes beyond it', () => {
  const words = (what: readonly string[]) => /reproduce -- (.*?) ?--/.exec(commandOf('x', { ...record, what }))?.[1]
  expect(words(all)).toBe('')
  expect(words(['beyond'])).toBe('beyond')
  expect(words([...all, 'beyond'])).toBe('all beyond')
  expect(words(['fig-1', 'beyond'])).toBe('fig-1 beyond')
})

test('names models and images by their files, wherever they lie, and addresses as they are', () => {
  const subject = {
    model: 'http://127.0.0.1/m',
    modelName: 'm',
    images: { idx: { images: '/data/a-ubyte', labels: '/data/b-ubyte' } },
    preprocessing: '/home/me/p.json',
    permitted: true,
    rate: 5,
  }
  expect(commandOf('x', { ...record, settings: { scale: 'full', subject } })).toBe(
    'npm run reproduce -- --scale full --profile paper --seed 1 --model http://127.0.0.1/m --model-name m ' +
      `--images '{"idx":{"images":"a-ubyte","labels":"b-ubyte"}}' --preprocessing p.json --permitted --rate 5 --out x`,
  )
})
