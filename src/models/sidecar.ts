import { ZerothError } from '../core/errors.ts'
import { parseOptions } from '../core/parse-options.ts'
import { type PreprocessingOption, preprocessingOption } from './preprocessing.ts'
import { readFile, shownFile } from './read-file.ts'

/** The file beside a model that says what the model wants: `digits.onnx` has `digits.preprocessing.json`. */
function sidecarOf(file: string): string {
  const [, path, rest] = /^([^?#]*)(.*)$/s.exec(file) as unknown as [string, string, string]
  return `${path.replace(/\.onnx$/i, '')}.preprocessing.json${rest}`
}

/** What the file beside a model says; nothing where there is none. */
export async function readSidecar(model: string): Promise<PreprocessingOption> {
  const file = sidecarOf(model)
  const bytes = await readFile(file)
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes)
  // Web servers like to answer with a page where there is no such file.
  if (bytes === undefined || text.trimStart().startsWith('<')) return {}
  return parseOptions(`${shownFile(file)}: preprocessing`, preprocessingOption, parsed(text, shownFile(file)))
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ZerothError('invalid-model', `${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
