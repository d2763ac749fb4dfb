import { checks as allChecks, table1 } from './index.ts'
import { rateTableText, sectionText, summaryText } from './page.ts'
import type { Check, Scale, Verdict } from './verdict.ts'

/** Where the command writes: results, and complaints about how it was called. */
export interface Output {
  result(line: string): void
  complaint(line: string): void
}

const usage = `Usage: npm run theory -- [--quick] [--json]

Tries out the statements of the ZO-AdaMM paper: what each predicts, what was measured, and whether the two agree.

  --quick  less work per statement, in a few seconds
  --json   one line of JSON in place of the page
  --help   this text

Exit status: 0 all claims hold, 1 one failed, 2 wrong usage.`

const flags = ['--quick', '--json', '--help']

/** Runs the command and returns its exit status. */
export function runTheory(args: readonly string[], output: Output, checks: readonly Check[] = allChecks): number {
  const unknown = args.find((arg) => !flags.includes(arg))
  if (unknown !== undefined) {
    output.complaint(`unknown argument ${JSON.stringify(unknown)} (known: ${flags.join(', ')})`)
    return 2
  }
  if (args.includes('--help')) {
    output.result(usage)
    return 0
  }
  const scale = args.includes('--quick') ? 'quick' : 'full'
  return args.includes('--json') ? printJson(scale, output, checks) : printPage(scale, output, checks)
}

/** Section by section, as they are done. */
function printPage(scale: Scale, output: Output, checks: readonly Check[]): number {
  const verdicts = checks.flatMap((check) => {
    const ofCheck = verdictsOf(check, scale)
    output.result(sectionText(check, ofCheck))
    return ofCheck
  })
  output.result(rateTableText(table1))
  output.result(summaryText(verdicts))
  return verdicts.every(({ passed }) => passed) ? 0 : 1
}

function printJson(scale: Scale, output: Output, checks: readonly Check[]): number {
  const statements = checks.map((check) => ({
    id: check.id,
    statement: check.statement,
    verdicts: verdictsOf(check, scale),
  }))
  const passed = statements.every(({ verdicts }) => verdicts.every((verdict) => verdict.passed))
  output.result(JSON.stringify({ scale, passed, statements, table1 }))
  return passed ? 0 : 1
}

/** The verdicts of a check; an error in it is a failure of its own, and the others are still tried. */
function verdictsOf(check: Check, scale: Scale): readonly Verdict[] {
  try {
    return check.run(scale)
  } catch (error) {
    return [{ claim: 'the check can be carried out', predicted: 'no error', measured: String(error), passed: false }]
  }
}
