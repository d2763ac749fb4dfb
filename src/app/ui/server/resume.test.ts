import { describe, expect, test } from 'vitest'
import { executionsOf, resumeRefusal } from './resume.ts'

const run = (objective: object) => ({ objective, dim: 1 })
const program = (command: readonly string[], more: object = {}) => run({ name: 'exec', command, cwd: '/work', ...more })
/** What is shown, a line each. */
const shown = (spec: object): string[] =>
  executionsOf(spec as Record<string, unknown>).map(({ what, text }) => `${what} ${text}`)
const refusal = (env: object) => resumeRefusal(program(['true'], { env }))

test('names programs with their arguments, modules, services and queues, wherever they stand', () => {
  expect(shown(program(['python3', 'my file.py', '--x=1']))).toEqual([
    'runs the program python3 "my file.py" --x=1',
    'works in the folder /work',
  ])
  expect(shown(run({ name: 'exec', command: ['a'] }))).toEqual([
    'runs the program a',
    `works in the folder ${process.cwd()}`,
  ])
  expect(shown(run({ name: 'module', module: '/tmp/f.mjs' }))).toEqual(['loads the module /tmp/f.mjs'])
  expect(shown({ objective: { name: 'http', url: 'http://u:p@h/f' }, queue: 'redis://h' })).toEqual([
    'asks the service "http://[hidden]@h/f"',
    'uses the queue redis://h',
  ])
  expect(shown({ wrapped: { deep: [{ objective: { module: 'x.mjs' } }] } })).toEqual(['loads the module x.mjs'])
})

test('says if there is nothing but what zeroth brings along', () => {
  expect(shown({ objective: { name: 'rosenbrock' }, dim: 2 })).toEqual([
    'minimises rosenbrock, which is part of zeroth',
  ])
})

describe('of what a stranger wrote', () => {
  test.each([
    ['an address in a command', 'a://;touch /tmp/x;:@x', 'a://;touch /tmp/x;:@x'],
    ['a password in a command', 'curl http://u:p@h | sh', 'curl http://u:p@h | sh'],
    ['an address with blanks before it', ' http://u:p;touch x@h', ' http://u:p;touch x@h'],
    ['many blanks', `:${' '.repeat(500)};touch x`, `:${' '.repeat(500)};touch x`],
    ['new lines', ':\n\n\n;touch x', ':\\n\\n\\n;touch x'],
    ['a carriage return', 'touch x\r: ', 'touch x\\r: '],
    ['a direction of writing', ':\u202ehsab', ':\\u{202e}hsab'],
    ['letters without width', 'py\u200bthon', 'py\\u{200b}thon'],
    ['another blank', 'a\u00a0b', 'a\\u{a0}b'],
    ['a line of Unicode', 'a\u2028b', 'a\\u{2028}b'],
    ['an invisible tag', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['an escape of a terminal', '\u001b[2Ktouch', '\\u001b[2Ktouch'],
    ['a C1 escape', '\u009b2Ktouch', '\\u{9b}2Ktouch'],
    ['half a pair', 'a\ud800b', 'a\\ud800b'],
    ['markup', '</code>;touch x', '</code>;touch x'],
    ['quotes', `";touch x;"`, `\\";touch x;\\"`],
    ['what stands for a hidden text', '[hidden];touch x', '[hidden];touch x'],
  ])('%s is shown as it is', (_, word, text) => {
    expect(shown(program(['sh', '-c', word]))[0]).toBe(`runs the program sh -c "${text}"`)
    expect(shown(program(['true'], { env: { A: word } })).at(-1)).toBe(`sets the variable A="${text}"`)
  })

  test('an argument that looks like several is one, an empty one is there', () => {
    expect(shown(program(['a', 'b c', '', '"d"']))[0]).toBe('runs the program a "b c" "" "\\"d\\""')
  })

  test('variables are shown with their values, or with where these are', () => {
    const env = { RATE: '0.5', API_KEY: { env: 'MY_KEY' }, PASSWORD: { file: '/etc/pass word' } }
    expect(shown(program(['true'], { env })).slice(2)).toEqual([
      'sets the variable RATE=0.5',
      'sets the variable API_KEY from the variable MY_KEY',
      'sets the variable PASSWORD from the file "/etc/pass word"',
    ])
  })

  test('a header that sends a file or a variable is shown', () => {
    const headers = { A: { file: '/etc/shadow' }, B: { env: 'AWS_SECRET' } }
    expect(shown(run({ name: 'http', url: 'http://h/', headers }))).toEqual([
      'asks the service http://h/',
      'loads the file /etc/shadow',
      'reads the variable AWS_SECRET',
    ])
  })

  test('keys of every object are no programs', () => {
    expect(shown({ constructor: 'a', toString: 'b', objective: { name: 'sphere' } })).toEqual([
      'minimises sphere, which is part of zeroth',
    ])
  })

  test.each([
    ...[
      'NODE_OPTIONS',
      'node_options',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'LD_AUDIT',
      'DYLD_INSERT_LIBRARIES',
      'PATH',
      'Path',
    ],
    ...[
      'BASH_ENV',
      'ENV',
      'PYTHONSTARTUP',
      'PYTHONPATH',
      'PYTHONWARNINGS',
      'PERL5OPT',
      'PERL5LIB',
      'RUBYOPT',
      'RUBYLIB',
    ],
    ...[
      'GIT_SSH_COMMAND',
      'GIT_EXTERNAL_DIFF',
      'SSH_ASKPASS',
      'SUDO_ASKPASS',
      'PAGER',
      'MANPAGER',
      'EDITOR',
      'HOME',
      'IFS',
    ],
    ...[
      'JAVA_TOOL_OPTIONS',
      '_JAVA_OPTIONS',
      'DOTNET_STARTUP_HOOKS',
      'LUA_INIT',
      'R_PROFILE_USER',
      'GCONV_PATH',
      'LESSOPEN',
    ],
    ...['LD_PRELOAD=/x.so:', 'BASH_FUNC_ls%%', '', 'A B', 'É', 'A\nLD_PRELOAD'],
  ])('the variable %s is refused', (name) => {
    expect(refusal({ RATE: '1', [name]: 'x' })).toContain('which can make programs run other code')
    expect(refusal({ [name]: { env: 'X' } })).toContain('resume it in a terminal, with zeroth resume')
  })

  test('a variable is refused wherever it is set', () => {
    expect(resumeRefusal({ a: [{ b: { env: { LD_PRELOAD: 'x' } } }] })).toContain('it sets LD_PRELOAD')
  })

  test.each([
    'RATE',
    'OMP_NUM_THREADS',
    'CUDA_VISIBLE_DEVICES',
    'PYTHONUNBUFFERED',
    'PYTHONHASHSEED',
    'TZ',
    'LANG',
    'API_KEY',
  ])('the variable %s is not', (name) => expect(refusal({ [name]: 'x' })).toBeUndefined())

  test('a model that is a file which says what it is, is refused: that is not seen', () => {
    expect(resumeRefusal({ model: '/tmp/model.yaml', images: 'digits' })).toContain('cannot be shown')
    expect(resumeRefusal({ model: { name: 'digits' } })).toBeUndefined()
  })
})
