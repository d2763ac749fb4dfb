import { expect, test } from 'vitest'
import { looksSecret } from './looks-secret.ts'

test.each([
  ...['API_KEY', 'apiKey', 'X-Auth-Token', 'AWS_SECRET_ACCESS_KEY', 'DB_PASSWORD', 'PASSWD', 'Authorization', 'Cookie'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'OAUTH', 'KEY2', 'TOKENS', 'sig', 'MYSECRETVALUE'],
])('%s looks like a secret', (name) => {
  expect(looksSecret(name)).toBe(true)
})

test.each([
  ...['PYTHONPATH', 'TOKENIZERS_PARALLELISM', 'AUTHOR', 'KEYBOARD', 'OMP_NUM_THREADS', 'version', 'PASSES', 'DESIGN'],
])('%s does not', (name) => {
  expect(looksSecret(name)).toBe(false)
})

test('a value with a user and a password does, whatever it is called', () => {
  expect(looksSecret('DATABASE_URL', 'postgres://user:pa55@db/main')).toBe(true)
  expect(looksSecret('SERVICE_URL', 'https://example.org:8080/a@b')).toBe(false)
})
