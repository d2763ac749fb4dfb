/** What `zeroth init` wants to know. */
export interface Answers {
  readonly objective: string
  readonly dim: string
  readonly bounds: string
  readonly maxQueries: string
}

interface Question {
  readonly key: keyof Answers
  readonly question: string
  readonly proposal: string
  /** What is wrong with an answer, if anything is. */
  check(answer: string): string | undefined
}

const isCount = (answer: string): string | undefined =>
  /^[1-9]\d*$/.test(answer) ? undefined : 'a whole number of at least 1, please'

/** The questions of `zeroth init`, in their order. */
export const questions: readonly Question[] = [
  {
    key: 'objective',
    question: 'What is minimised? A test problem (rosenbrock), a program (python3 f.py), a module (f.js) or a URL',
    proposal: 'rosenbrock',
    check: (answer) => (answer === '' ? 'something to minimise, please' : undefined),
  },
  { key: 'dim', question: 'How many variables?', proposal: '10', check: isCount },
  {
    key: 'bounds',
    question: 'Bounds for every variable, as in -1,1, or none',
    proposal: 'none',
    check: (answer) =>
      answer === 'none' || /^\s*-?[\d.]+(e-?\d+)?\s*,\s*-?[\d.]+(e-?\d+)?\s*$/.test(answer)
        ? undefined
        : 'two numbers with a comma, or none, please',
  },
  { key: 'maxQueries', question: 'How many queries at most?', proposal: '5000', check: isCount },
]

/** A spec with a comment at each key, and the keys that are not used as comments. */
export function commentedSpec({ objective, dim, bounds, maxQueries }: Answers): string {
  const box = bounds === 'none' ? '# bounds: [-1, 1]' : `bounds: [${bounds}]`
  return `# A spec of zeroth: zeroth validate checks it, zeroth minimize runs it. All keys: docs/specs.md
# yaml-language-server: $schema=node_modules/zeroth/schema/zeroth.schema.json

# What is minimised.
${objectiveLines(objective)}

# How many variables there are, where a run begins (one number for all, or a list), and where they may lie.
dim: ${dim}
# start: 0
${box}

# The method. Its options stand beside its name.
solver:
  name: zo-adamm
  directions: 10
  # learningRate: 0.01     # zeroth tune finds a good one

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

function objectiveLines(objective: string): string {
  if (/^https?:\/\//.test(objective)) return `objective:\n  name: http\n  url: ${JSON.stringify(objective)}`
  if (/^[^\s]+\.[cm]?js$/.test(objective)) return `objective:\n  name: module\n  module: ${JSON.stringify(objective)}`
  if (/^[a-z][a-z0-9-]*$/.test(objective)) return `objective: ${objective}`
  const words = objective.split(/\s+/).map((word) => JSON.stringify(word))
  return `objective:\n  name: exec\n  command: [${words.join(', ')}]`
}
