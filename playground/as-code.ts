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
  return [`import { ${imports.join(', ')} } from 'zeroth'`, '', `const f = ${code}`, '', ...runs, ''].join('\n')
}

/** The command that attacks the digits as it is shown, with all that the command line adds. */
export function asCommand({ attack, limit, queries, seed }: State): string {
  return `npx zeroth attack --model digits --solver ${attack} --linf ${limit} --max-queries ${queries} --seed ${seed}`
}
