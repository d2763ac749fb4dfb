import { parts } from '../index.ts'
import { explainError } from './explain-error.ts'
import { commandWords } from './option-values.ts'

/** What `zeroth init` wants to know. */
export interface Answers {
  readonly objective: string
  readonly dim: string
  readonly bounds: string
  readonly maxQueries: string
}

/** A question of `zeroth init`. */
export interface Question {
  readonly key: keyof Answers
  readonly question: string
  readonly proposal: string
  /** What is wrong with an answer, if anything is. */
  check(answer: string): string | undefined
}

const isCount = (answer: string): string | undefined =>
  /^[1-9]\d{0,14}$/.test(answer) ? undefined : `a whole number of at least 1, please, not ${answer}`

/** The questions of `zeroth init`, in their order. */
export const questions: readonly Question[] = [
  {
    key: 'objective',
    question: 'What is minimised? A test problem (rosenbrock), a program (python3 f.py), a module (f.js) or a URL',
    proposal: 'rosenbrock',
    check: checkObjective,
  },
  { key: 'dim', question: 'How many variables?', proposal: '10', check: isCount },
  { key: 'bounds', question: 'Bounds for every variable, as in -1,1, or none', proposal: 'none', check: checkBounds },
  { key: 'maxQueries', question: 'How many queries at most?', proposal: '5000', check: isCount },
]

/** A spec with a comment at each key, and the keys that are not used as comments. */
export function commentedSpec({ objective, dim, bounds, maxQueries }: Answers): string {
  const box = bounds === 'none' ? '# bounds: [-1, 1]' : `bounds: [${bounds.split(',').map(Number).join(', ')}]`
  return `# yaml-language-server: $schema=node_modules/zeroth/schema/zeroth.schema.json
# A spec of zeroth: "zeroth validate" checks it, "zeroth minimize" runs it, "zeroth schema" says all it can hold.

# What is minimised.
${objectiveLines(objective)}

# How many variables there are, where a run begins (one number for all, or a list), and where they may lie.
dim: ${dim}
# start: 0
${box}

# The method. auto chooses by the number of variables, the budget and the noise: see "zeroth minimize --explain".
solver: auto
# solver: cma-es           # or one by its name: "zeroth docs which-method" says which one when
# solver: { name: quasi-newton, scale: 0.1 }  # its options stand beside its name

# Every random number follows from the seed: the same spec gives the same run.
seed: 0

# When to stop: whichever comes first.
maxQueries: ${maxQueries}
# maxTime: 600000          # milliseconds
# target: 0.001

# What a failed query does: stop the run, be skipped, or count as the worst value so far.
failures: stop
# timeout: 60000           # milliseconds for one query
# jobs: 2                  # queries under way at once
# retry: { attempts: 4 }   # ask failed queries again
# rate: { perSecond: 10 }  # ask no faster
# log: true                # save every query
`
}

/** How the objective is reached: by the look of it. */
function kindOf(objective: string): 'http' | 'module' | 'problem' | 'exec' {
  if (/^https?:\/\//.test(objective)) return 'http'
  if (/^\S+\.[cm]?js$/.test(objective)) return 'module'
  return /^[a-z][a-z0-9-]*$/.test(objective) ? 'problem' : 'exec'
}

function checkObjective(answer: string): string | undefined {
  const kind = kindOf(answer)
  const known = parts.problem.map(({ definition }) => definition.name)
  if (kind === 'problem' && !known.includes(answer)) {
    return `there is no test problem ${answer} (known: ${known.join(', ')}); a program in this folder begins with ./`
  }
  if (kind === 'http' && !URL.canParse(answer)) return `${answer} is no URL`
  if (kind !== 'exec') return undefined
  try {
    commandWords(answer)
    return undefined
  } catch (error) {
    return explainError(error).message
  }
}

function checkBounds(answer: string): string | undefined {
  if (answer === 'none') return undefined
  const [lower = Number.NaN, upper = Number.NaN, ...more] = answer
    .split(',')
    .map((text) => (text.trim() === '' ? Number.NaN : Number(text)))
  const isBox = Number.isFinite(lower) && Number.isFinite(upper) && lower < upper && more.length === 0
  return isBox ? undefined : `two numbers with a comma, the smaller one first, or none, please, not ${answer}`
}

function objectiveLines(objective: string): string {
  const kind = kindOf(objective)
  if (kind === 'problem') return `objective: ${objective}`
  if (kind === 'http') return `objective:\n  name: http\n  url: ${JSON.stringify(objective)}`
  if (kind === 'module') return `objective:\n  name: module\n  module: ${JSON.stringify(objective)}`
  const words = commandWords(objective).map((word) => JSON.stringify(word))
  return `objective:\n  name: exec\n  command: [${words.join(', ')}]`
}
