// Evaluates a classifier's robustness in a folder. Interrupt it or kill it: run it again, and it continues where it was.
import { openEvaluation } from 'zeroth/jobs'
import { writeEvaluationPage } from 'zeroth/report'

const [folder = 'robustness', model = 'digits', count = '10'] = process.argv.slice(2)
const evaluation = await openEvaluation(folder, { model, count: Number(count), maxQueries: 2000 })

const stopping = new AbortController()
process.once('SIGINT', () => stopping.abort())

for await (const event of evaluation.perform({ signal: stopping.signal })) {
  if (event.type === 'item') console.log(`${event.title}: ${event.status} after ${event.queries} queries`)
  if (event.type === 'warning') console.warn(event.message)
}

const summary = evaluation.result()?.summary
if (summary === undefined) console.log('interrupted: run it again to continue')
else console.log(`robust accuracy ${summary.robustAccuracy}, see ${(await writeEvaluationPage(folder))[0]}`)
