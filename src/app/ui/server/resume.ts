import { type ChildProcess, spawn } from 'node:child_process'
import { isObject } from '../../../optimizer/core/options.ts'
import type { Execution } from '../api.ts'

type Spec = Readonly<Record<string, unknown>>

/** What stands in a spec that makes a machine do something, and what it is called. */
const doing: ReadonlyMap<string, string> = new Map([
  ['command', 'runs the program'],
  ['cwd', 'works in the folder'],
  ['module', 'loads the module'],
  ['file', 'loads the file'],
  ['url', 'asks the service'],
  ['queue', 'uses the queue'],
  ['images', 'reads the images'],
  ['preprocessing', 'loads the file'],
  ['classNames', 'reads the file'],
])

/**
 * What a job would execute, load or ask, were it resumed: its folder may be a stranger's. Found by the keys of its spec,
 * wherever they stand. Commands and variables are told as they are: whatever were left out could be what does harm.
 */
export function executionsOf(spec: Spec): Execution[] {
  const found: Execution[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const first = ([key]: readonly [string, unknown]): number => (key === 'command' ? 0 : 1)
    for (const [key, each] of Object.entries(value).sort((a, b) => first(a) - first(b))) {
      const what = doing.get(key)
      const text = what === undefined ? undefined : textOf(key, each)
      if (what !== undefined && text !== undefined) found.push({ what, text })
      else if (key === 'env' && isObject(each)) found.push(...settingsIn(each))
      else if (key === 'env' && typeof each === 'string') found.push({ what: 'reads the variable', text: exact(each) })
      else visit(each)
    }
    if ('command' in value && !('cwd' in value)) found.push({ what: 'works in the folder', text: exact(process.cwd()) })
  }
  visit(spec)
  const unique = new Map(found.map((each) => [JSON.stringify(each), each]))
  return unique.size > 0 ? [...unique.values()] : [{ what: 'minimises', text: builtIn(spec) }]
}

/** A command with its arguments, or a place; undefined if what is below is to be looked at. */
function textOf(key: string, value: unknown): string | undefined {
  if (key === 'command') return Array.isArray(value) ? value.map(exact).join(' ') : exact(value)
  if (typeof value !== 'string') return undefined
  return exact(withoutCredentials(value))
}

/** The variables that a program is given, each with its value or with where that is. */
function settingsIn(env: Spec): Execution[] {
  return Object.entries(env).map(([name, value]) => {
    const { env: variable, file } = (isObject(value) ? value : {}) as Spec
    const text =
      variable !== undefined
        ? `${exact(name)} from the variable ${exact(variable)}`
        : file !== undefined
          ? `${exact(name)} from the file ${exact(file)}`
          : `${exact(name)}=${exact(value)}`
    return { what: 'sets the variable', text }
  })
}

/** A word that can be taken for nothing else: in quotes if there is a blank in it, whatever cannot be seen escaped. */
function exact(word: unknown): string {
  if (typeof word === 'string' && /^[\w./:=@%+,-]+$/.test(word)) return word
  return (JSON.stringify(word) ?? String(word)).replace(/[\p{C}\p{Z}]/gu, (unseen) =>
    unseen === ' ' ? ' ' : `\\u{${unseen.codePointAt(0)?.toString(16)}}`,
  )
}

/** An address without its user and password. Only what is an address as a whole: part of a command must not be hidden. */
export function withoutCredentials(text: string): string {
  const url = /^\s*(https?|rediss?):/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.username === '' && url.password === '')) return text
  return `${url.protocol}//[hidden]@${url.host}${url.pathname}${url.search}${url.hash}`
}

function builtIn({ objective, model }: Spec): string {
  const part = objective ?? model
  const name = typeof part === 'string' ? part : String((part as { name?: unknown } | undefined)?.name ?? 'a problem')
  return `${exact(name)}, which is part of zeroth`
}

/** Variables of Python that change how it prints and counts, not what it runs. */
const harmless = /^PYTHON(UNBUFFERED|HASHSEED|DONTWRITEBYTECODE|IOENCODING|UTF8|OPTIMIZE)$/i

/**
 * Variables by which a program runs other code than it is called with: what is loaded into it, where it and its libraries
 * are found, what it reads first, what it calls.
 */
const rerouting = new RegExp(
  `^(${[
    ...[
      'PATH',
      'PATHEXT',
      'COMSPEC',
      'SHELL',
      'HOME',
      'USERPROFILE',
      'APPDATA',
      'XDG_.*',
      'IFS',
      'PS4',
      'CDPATH',
      'ENV',
    ],
    ...['LD_.*', 'DYLD_.*', 'LIBPATH', 'SHLIB_PATH', 'GCONV_PATH', 'GLIBC_TUNABLES', 'OPENSSL_.*', 'NODE_.*', 'NPM_.*'],
    ...[
      'BASH_.*',
      'SHELLOPTS',
      'BASHOPTS',
      'PROMPT_COMMAND',
      'ZDOTDIR',
      'FPATH',
      'PYTHON.*',
      'VIRTUAL_ENV',
      'CONDA_.*',
    ],
    ...['PERL.*', 'RUBY.*', 'GEM_.*', 'BUNDLE_.*', 'LUA_.*', 'JULIA_.*', 'R_.*', 'PHP.*', 'CLASSPATH', 'JAVA_.*'],
    ...['_JAVA_.*', 'JDK_.*', 'DOTNET_.*', 'CORECLR_.*', 'COR_.*', 'ELECTRON_.*', 'DENO_.*', 'BUN_.*', 'ERL_.*'],
    ...['GIT_.*', 'SSH_.*', '.*_ASKPASS', '.*PAGER', 'EDITOR', 'VISUAL', 'BROWSER', 'LESS.*', 'GO.*', 'CARGO_.*'],
    ...[
      'RUST.*',
      'CMAKE_.*',
      'MAKEFLAGS',
      'MATLABPATH',
      'OCTAVE_.*',
      'GTK_.*',
      'QT_.*',
      'TCL.*',
      'GUILE_.*',
      'EMACS.*',
    ],
  ].join('|')})$`,
  'i',
)

/**
 * Why the page must not resume a job, whose folder may be a stranger's; undefined if it may. What people are shown must be
 * what runs: nothing that makes a shown program run something else, and no file that stands for the rest of the spec.
 */
export function resumeRefusal(spec: Spec): string | undefined {
  const advice = 'if you trust it, resume it in a terminal, with zeroth resume'
  // A name that is none may hold another: what stands behind an equals sign would be a value.
  const isOdd = (name: string): boolean => !/^[a-z_]\w*$/i.test(name)
  const variable = variablesIn(spec).find((name) => isOdd(name) || (rerouting.test(name) && !harmless.test(name)))
  if (variable !== undefined) return `it sets ${exact(variable)}, which can make programs run other code: ${advice}`
  if (isObject(spec.objective) && spec.objective.name === 'function') {
    return 'its objective is a function of a program: run that program again, and it continues'
  }
  // A text may be a file that holds the model.
  if (typeof spec.model !== 'string') return undefined
  return `its spec is not as zeroth writes it, so that what it would run cannot be shown: ${advice}`
}

/** The variables that a spec sets, wherever it does so. */
function variablesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(variablesIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, each]) => [
    ...(key === 'env' && isObject(each) ? Object.keys(each) : []),
    ...variablesIn(each),
  ])
}

/** Characters of what a process said that are kept. */
const mostSaid = 2000

/** Exit codes that are no failure: the end, less robust than demanded, interrupted. */
const fine: readonly (number | null)[] = [0, 3, 130, null]

/** Resumes jobs in processes of their own, as `zeroth resume` does. */
export class Resumer {
  readonly #program: string
  readonly #children = new Map<string, ChildProcess>()

  /** `program` is the file of the command line. */
  constructor(program: string) {
    this.#program = program
  }

  /**
   * Resumes the job in a folder if it has the spec with this digest; false if that is under way. `onFailure` gets what went
   * wrong in words.
   */
  resume(folder: string, digest: string, onFailure: (message: string) => void): boolean {
    if (this.#children.has(folder)) return false
    const args = [this.#program, 'resume', folder, '--quiet', '--shown', digest]
    // An array of arguments and no shell: nothing in the name of a folder is obeyed.
    const child = spawn(process.execPath, args, {
      shell: false,
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    })
    this.#children.set(folder, child)
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-mostSaid)
    })
    child.on('error', (error) => {
      this.#children.delete(folder)
      onFailure(error.message)
    })
    child.on('close', (code) => {
      this.#children.delete(folder)
      if (!fine.includes(code)) onFailure(said.trim() || `zeroth resume ended with exit code ${code}`)
    })
    return true
  }
}
