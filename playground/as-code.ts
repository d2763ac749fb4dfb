import { functions } from './functions.ts'
import { solvers } from './solvers.ts'
import type { State } from './state.ts'

/** The program that does what is shown. */
export function asCode(state: State): string {
  const code = state.function === 'own' ? state.code : functions.find(({ name }) => name === state.function)?.code
  const methods = [state.solver, state.rival].flatMap((name) => solvers[name] ?? [])
  const imports = [...new Set(['minimize', ...methods.map((method) => method.import)])].sort()
  const options = `seed: ${state.seed}, maxQueries: ${state.queries}`
  const runs = methods.map(
    (method) => `{
  const solver = ${method.code(state.learningRate)}
  const { value, point, queries } = await minimize(([x, y]) => f(x, y), [${state.start.join(', ')}], { solver, ${options} })
  console.log(value, point, queries)
}`,
  )
  const note =
    state.noise > 0 ? [`// The page adds noise of up to ${state.noise} to every answer; this program does not.`] : []
  return [...note, `import { ${imports.join(', ')} } from 'zeroth'`, '', `const f = ${code}`, '', ...runs, ''].join(
    '\n',
  )
}

/** How an attack is made. */
export interface AttackSettings {
  readonly attack: string
  readonly limit: number
  readonly queries: number
  readonly seed: number
}

/** The command that attacks a model as it is shown, with all that the command line adds: the digits, if no other is named. */
export function asCommand(settings: AttackSettings, model: readonly string[] = ['--model', 'digits']): string {
  const { attack, limit, queries, seed } = settings
  const options = ['--solver', attack, '--linf', limit, '--max-queries', queries, '--seed', seed]
  return ['npx zeroth attack', ...model, ...options].join(' ')
}

/** The options that name a model and how it is fed; the images are the reader's to name. */
export function modelOptions(file: string, preprocessing: string): string[] {
  const fed = preprocessing === '{}' ? [] : ['--preprocessing', quoted(preprocessing)]
  return ['--model', quoted(file), '--images', 'FOLDER', ...fed]
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
