import * as z from 'zod/mini'
import { parseOptions } from '../core/parse-options.ts'
import type { ModelSource } from '../models/model.ts'
import { onnxModel } from '../models/onnx.ts'
import { assetFile } from './asset-file.ts'
import { checkedWord } from './checked-word.ts'
import { type EmbeddedName, embeddedNames } from './embedded-names.ts'

const options = z.pick(onnxModel.definition.options, { batch: true, sessions: true })

/** How an embedded classifier is run: `batch` and `sessions` of `onnxModel`. */
export type EmbeddedModelOptions = Readonly<z.input<typeof options>>

/** A classifier that ships with the package; it takes pixels from 0 to 1 and gives logits. */
export function embeddedModel(name: EmbeddedName, given: EmbeddedModelOptions = {}): ModelSource {
  const known = checkedWord('the embedded model', name, embeddedNames)
  return onnxModel({ file: assetFile(known, 'model.onnx'), ...parseOptions('embeddedModel', options, given) })
}
