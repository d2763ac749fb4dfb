import { expect, test } from 'vitest'
import { redacted } from './job-detail.ts'

test('hides texts below keys that may hold secrets, and credentials in addresses', () => {
  const spec = {
    objective: {
      name: 'http',
      url: 'https://user:canary@example.org/f',
      headers: { Authorization: 'Bearer canary', 'X-Key': ['canary'] },
    },
    env: { API_KEY: 'canary' },
    queue: 'redis://:canary@host:6379',
    seed: 7,
  }
  const text = JSON.stringify(redacted(spec))
  expect(text).not.toContain('canary')
  expect(redacted(spec)).toMatchObject({ seed: 7, objective: { url: 'https://[hidden]@example.org/f' } })
})

test('says where a secret is', () => {
  expect(redacted({ headers: { Authorization: { env: 'TOKEN' } } })).toEqual({
    headers: { Authorization: { env: 'TOKEN' } },
  })
})
