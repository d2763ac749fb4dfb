import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { ZerothError } from '../../../index.ts'
import { testedPackages } from '../../../optimizer/core/optional-package.ts'
import { isFolder, makeFolder, unwritable } from '../../jobs/folders.ts'
import { zerothVersion } from '../../provenance/machine.ts'
import { type JsonObject, namesIn, parseSpec, readSpec, type SpecSource, specSchema } from '../../spec/index.ts'
import { commandWords } from '../option-values.ts'
import { print, tell } from '../program.ts'
import { exitCodes, explainError } from '../terminal.ts'

const initExamples = `
Examples:
  $ zeroth init                       asks a few questions, writes zeroth.yaml
  $ zeroth init problem.yaml --yes    takes the proposals
  $ zeroth init --attack              a spec of an attack, and a workflow for CI
  $ printf './f.sh\\n4\\n-1,1\\n\\n' | zeroth init problem.yaml`

interface InitFlags {
  readonly attack?: boolean
  readonly yes?: boolean
  readonly force?: boolean
}

/** `zeroth init`: asks a few questions and writes a commented spec. */
export function initCommand(): Command {
  return new Command()
    .argument('[file]', 'the file to write (default: zeroth.yaml, of an attack robustness.yaml)')
    .option('--attack', `a spec of an attack, and ${workflowFile}, which runs it`)
    .option('-y, --yes', 'take every proposal without asking')
    .option('--force', 'overwrite a file that is there')
    .addHelpText('after', initExamples)
    .action(performInit)
}

async function performInit(given: string | undefined, { attack, yes, force }: InitFlags): Promise<void> {
  const isAttack = attack === true
  const file = given ?? (isAttack ? 'robustness.yaml' : 'zeroth.yaml')
  const taken = [file, ...(isAttack ? [workflowFile] : [])].find((each) => existsSync(each))
  if (taken !== undefined && force !== true) {
    throw new ZerothError('invalid-option', `${taken} is there already; --force overwrites it`)
  }
  const asked = isAttack ? attackQuestions : questions
  const proposed = Object.fromEntries(asked.map(({ key, proposal }) => [key, proposal]))
  const answers = yes === true ? proposed : await askAll(asked, { input: process.stdin, output: process.stderr })
  if (answers === undefined) {
    tell('\nnothing was written')
    process.exitCode = exitCodes.interrupted
    return
  }
  const text = isAttack ? commentedAttack(answers as AttackAnswers) : commentedSpec(answers as Answers)
  await resolvedOf(parseSpec(text, { name: file, folder: dirname(resolve(file)) }))
  await write(file, text, force === true)
  if (isAttack) await write(workflowFile, workflow(file), force === true)
  tell(`zeroth validate ${file} checks it, zeroth ${isAttack ? 'attack' : 'minimize'} ${file} runs it`)
}

async function write(file: string, text: string, isForced: boolean): Promise<void> {
  try {
    if (file === workflowFile) await makeFolder(dirname(file))
    await writeFile(file, text, { flag: isForced ? 'w' : 'wx' })
  } catch (error) {
    throw unwritable(file, error)
  }
  print(file)
}

/** Where answers come from and questions go. */
interface Talk {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly output: NodeJS.WritableStream
}

/**
 * Asks questions until each has a good answer; undefined where the user quits (Ctrl-C, Ctrl-D). An empty
 * answer takes the proposal, and so do all questions behind the end of a pipe.
 */
export async function askAll(
  asked: readonly Question[],
  { input, output }: Talk,
): Promise<Record<string, string> | undefined> {
  const dialogue = createInterface({ input, output })
  let isEnough = false
  dialogue.on('SIGINT', () => {
    isEnough = true
    dialogue.close()
  })
  const lines = dialogue[Symbol.asyncIterator]()
  const answers: Record<string, string> = {}
  try {
    for (const question of asked) {
      const answer = await ask(question, lines, input.isTTY === true, output)
      if (answer === undefined || isEnough) return undefined
      answers[question.key] = answer
    }
  } finally {
    dialogue.close()
  }
  return answers
}

async function ask(
  { key, question, proposal, check }: Question,
  lines: AsyncIterator<string>,
  isTerminal: boolean,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  for (;;) {
    if (isTerminal) output.write(`${question} [${proposal}] `)
    const { value = '', done } = await lines.next()
    if (done === true && isTerminal) return undefined
    const answer = value.trim() === '' ? proposal : value.trim()
    const complaint = check(answer)
    if (complaint === undefined) return answer
    // A pipe cannot be asked again.
    if (!isTerminal) throw new ZerothError('invalid-option', `${key}: ${complaint}`)
    output.write(`${complaint}\n`)
  }
}

/** What `zeroth init` wants to know. */
export type Answers = Readonly<Record<'objective' | 'dim' | 'bounds' | 'maxQueries', string>>

/** A question of `zeroth init`. */
export interface Question {
  readonly key: string
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
  return filledIn('zeroth.yaml', { objective: objectiveLines(objective), dim, bounds: box, maxQueries })
}

/** A template of assets/init with texts for its __names__, which are comments where they stand alone. */
function filledIn(name: string, texts: Readonly<Record<string, string>>): string {
  const template = readFileSync(new URL(`../../../../assets/init/${name}`, import.meta.url), 'utf8')
  return template.replace(/(?:# )?__([a-zA-Z]+)__/g, (_, key: string) => texts[key] as string)
}

/** How the objective is reached: by the look of it. */
function kindOf(objective: string): 'http' | 'module' | 'problem' | 'exec' {
  if (/^https?:\/\//.test(objective)) return 'http'
  if (/^\S+\.[cm]?js$/.test(objective)) return 'module'
  return /^[a-z][a-z0-9-]*$/.test(objective) ? 'problem' : 'exec'
}

function checkObjective(answer: string): string | undefined {
  const kind = kindOf(answer)
  const known = namesIn(specSchema(), 'objective')
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
  if (kind === 'module') return `objective:\n  name: workers\n  workers: 1\n  module: ${JSON.stringify(objective)}`
  const words = commandWords(objective).map((word) => JSON.stringify(word))
  return `objective:\n  name: exec\n  command: [${words.join(', ')}]`
}

/** What `zeroth init --attack` wants to know. */
type AttackAnswers = Readonly<Record<'model' | 'images' | 'linf' | 'failUnder', string>>

/** The questions of `zeroth init --attack`, in their order. */
export const attackQuestions: readonly Question[] = [
  {
    key: 'model',
    question: 'Which model? digits (ships with zeroth), an ONNX file, or http://host/v2/models/NAME',
    proposal: 'digits',
    check: (answer) => (!/\.onnx$/i.test(answer) || existsSync(answer) ? undefined : `there is no file ${answer}`),
  },
  {
    key: 'images',
    question: 'Which images? digits, or a folder with a subfolder for each class or a labels.csv',
    proposal: 'digits',
    check: (answer) => (answer === 'digits' || isFolder(answer) ? undefined : `there is no folder ${answer}`),
  },
  {
    key: 'linf',
    question: 'By how much may each pixel change, from 0 to 1?',
    proposal: '8/255',
    check: (answer) =>
      /^(0?\.\d*[1-9]\d*|1|[1-9]\d*\/[1-9]\d*)$/.test(answer)
        ? undefined
        : `as in 8/255 or 0.03, please, not ${answer}`,
  },
  {
    key: 'failUnder',
    question: 'Which share of the images must withstand, from 0 to 1?',
    proposal: '0.5',
    check: (answer) => (/^(0(\.\d+)?|1(\.0+)?)$/.test(answer) ? undefined : `as in 0.5, please, not ${answer}`),
  },
]

/** A spec of an attack with a comment at each key. */
export function commentedAttack({ model, images, ...limits }: AttackAnswers): string {
  const access = /^https?:/.test(model)
    ? 'permitted: true            # you may test it'
    : '# preprocessing: { range: [-1, 1], layout: NHWC }  # if it does not take RGB from 0 to 1, channels first'
  return filledIn('robustness.yaml', {
    model: JSON.stringify(model),
    access,
    images: JSON.stringify(images),
    ...limits,
  })
}

/** Where GitHub looks for workflows. */
const workflowFile = '.github/workflows/robustness.yml'

/** A workflow that needs nothing but the spec: no package.json, no lock file. */
function workflow(spec: string): string {
  const packages = `zeroth@${zerothVersion()} ${testedPackages('onnxruntime-node', 'sharp')}`
  return filledIn('robustness.yml', { packages, spec })
}

const validateExamples = `
Examples:
  $ zeroth validate problem.yaml
  $ zeroth validate problem.yaml --json > resolved.json   written out
  $ zeroth validate robustness.yaml                       a spec of an attack`

/** `zeroth validate`: checks a spec file and shows what it means, without asking anything. */
export function validateCommand(): Command {
  return new Command()
    .argument('<spec>', 'a YAML or JSON file')
    .option('--json', 'print nothing but the spec with every default filled in')
    .addHelpText('after', validateExamples)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const resolved = await resolvedOf(readSpec(file))
      if (json === true) print(JSON.stringify(resolved))
      else print(`${file} is fine. With every default filled in it says:\n\n${JSON.stringify(resolved, null, 2)}`)
    })
}

/** What a spec says with every default filled in; one with a model is an attack. */
async function resolvedOf(source: SpecSource): Promise<JsonObject> {
  if ('model' in source.spec && !('objective' in source.spec)) {
    const { compileAttack } = await import('../../spec/attack/index.ts')
    return (await compileAttack(source.spec, source)).resolved
  }
  const { compileSpec } = await import('../../spec/index.ts')
  const { objective, resolved } = compileSpec(source.spec, source)
  await objective.close?.()
  return resolved
}

/** `zeroth schema`: what editors need to complete and check spec files. */
export function schemaCommand(): Command {
  return new Command()
    .option('--attack', 'that of attack specs')
    .addHelpText(
      'after',
      `
The package holds it as schema/zeroth.schema.json, too, that of attack specs as
schema/attack.schema.json. An editor uses it for a YAML file that begins with
  # yaml-language-server: $schema=node_modules/zeroth/schema/zeroth.schema.json

Example:
  $ zeroth schema > zeroth.schema.json`,
    )
    .action(async ({ attack }: { attack?: boolean }) => {
      const schema = attack === true ? (await import('../../spec/attack/index.ts')).attackSchema() : specSchema()
      print(JSON.stringify(schema, null, 2))
    })
}
