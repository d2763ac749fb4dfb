import { ZerothError } from '../core/errors.ts'
import { optional } from '../core/options.ts'
import { listOf, oneOf, that } from '../core/schema.ts'
import type { OnnxRuntime } from './onnx-runtime.ts'

/** What onnxruntime can compute with, where the build that is installed has it. */
const providerNames = ['cpu', 'cuda', 'tensorrt', 'coreml', 'dml', 'webgpu'] as const

/** What a network is computed with: an execution provider of onnxruntime. */
export type OnnxProvider = (typeof providerNames)[number]

/** Which providers compute a network; the CPU if left out. */
export const providersOption = /* @__PURE__ */ optional(
  that(
    listOf(oneOf(...providerNames), 1),
    (names) => new Set(names).size === names.length,
    'must name each provider once',
  ),
  'what computes the network: cpu, cuda, tensorrt, coreml, dml or webgpu, as far as the installed onnxruntime has them; with several, each gets what those before it cannot compute; cpu if left out',
)

/** Whether a network is computed by something else than the CPU. */
export function isAccelerated(providers: readonly string[] | undefined): boolean {
  return providers?.some((name) => name !== 'cpu') === true
}

/**
 * How sessions are opened. One thread each: several sessions make better use of several cores. What goes wrong is said by
 * us alone. Left to itself, onnxruntime gives the CPU whatever a provider cannot compute, and says nothing: unless the CPU
 * is among those named, opening fails instead.
 */
export function sessionOptions(providers: readonly OnnxProvider[] | undefined) {
  const named = providers ?? ['cpu']
  return {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 4,
    executionProviders: named,
    ...(named.includes('cpu') ? {} : { extra: { session: { disable_cpu_ep_fallback: '1' } } }),
  } as const
}

/** Refuses providers that the runtime does not know, and asks NVIDIA's libraries for full float32. */
export function prepareProviders(runtime: OnnxRuntime, providers: readonly OnnxProvider[] | undefined): void {
  if (providers === undefined) return
  const known = backendsOf(runtime)
  const missing = known && providers.find((name) => known.every((each) => each.name !== name))
  if (missing !== undefined) {
    const has = `the installed onnxruntime has ${availableText(runtime)}`
    throw new ZerothError('invalid-option', `onnx.providers: ${missing} is not available here: ${has}`)
  }
  // They compute in TF32 where nobody objects: numbers of 11 bits, whose rounding drowns the change that a probe makes.
  const { env } = globalThis.process ?? {}
  if (env !== undefined && providers.some((name) => installs[name])) env.NVIDIA_TF32_OVERRIDE ??= '0'
}

/** Providers whose libraries do not come with the package. */
const installs: Readonly<Record<string, true>> = { cuda: true, tensorrt: true }

/** Why a session could not be opened with the providers asked for, and what to do about it; undefined where they are not why. */
export function providerTrouble(
  runtime: OnnxRuntime,
  providers: readonly OnnxProvider[] | undefined,
  message: string,
): string | undefined {
  if (!isAccelerated(providers) || providers === undefined) return undefined
  const names = providers.filter((name) => name !== 'cpu')
  const text = names.join(', ')
  if (message.includes('assigned to the default CPU EP')) {
    const all = [...names, 'cpu'].join(', ')
    return `it has operators that ${text} cannot compute: providers: [${all}] leaves those to the CPU`
  }
  if (!/execution ?provider|shared library|adapter|provider|device/i.test(message)) return undefined
  const missing = names.filter((name) => installs[name])
  const install = 'npm install onnxruntime-node --onnxruntime-node-install=cuda12'
  const how = missing.length === 0 ? '' : `; the libraries of ${missing.join(' and ')} are installed with ${install}`
  return `${text} cannot be used here: ${message}${how}; this onnxruntime has ${availableText(runtime)}`
}

/** What a runtime says it can compute with; undefined in browsers, where it does not say. */
function backendsOf(runtime: OnnxRuntime): readonly Backend[] | undefined {
  const { listSupportedBackends } = runtime as { listSupportedBackends?: () => readonly Backend[] }
  return listSupportedBackends?.()
}

interface Backend {
  readonly name: string
  /** Whether its libraries come with the package. */
  readonly bundled: boolean
}

function availableText(runtime: OnnxRuntime): string {
  const known = backendsOf(runtime) ?? [{ name: 'cpu', bundled: true }]
  const bundled = known.filter((each) => each.bundled).map(({ name }) => name)
  const others = known.filter((each) => !each.bundled).map(({ name }) => name)
  return `${bundled.join(', ')}${others.length === 0 ? '' : `, and once installed ${others.join(', ')}`}`
}
