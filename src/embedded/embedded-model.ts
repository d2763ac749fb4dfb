import type { Input } from '../core/option-type.ts'
import { table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { ModelSource } from '../models/model.ts'
import { onnxModel } from '../models/onnx.ts'
import { assetFile, checkedWord, type EmbeddedName, embeddedNames } from './embedded-names.ts'

const { batch, sessions, providers } = onnxModel.definition.options.shape
const options = table({ batch, sessions, providers })

/** How an embedded classifier is run: `batch`, `sessions` and `providers` of `onnxModel`. */
export type EmbeddedModelOptions = Readonly<Input<typeof options>>

/** A classifier that ships with the package; it takes pixels from 0 to 1 and gives logits. */
export function embeddedModel(name: EmbeddedName, given: EmbeddedModelOptions = {}): ModelSource {
  const known = checkedWord('the embedded model', name, embeddedNames)
  return onnxModel({ file: assetFile(known, 'model.onnx'), ...parseOptions('embeddedModel', options, given) })
}
