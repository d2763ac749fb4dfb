import { choice, count, option, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { wholeFrom } from '../core/schema.ts'
import type { Kernels } from '../kernels/kernels.ts'
import { kernelsOn, type Share } from '../kernels/wasm.ts'
import { compiledFrom, link, pagesFor } from '../kernels/wasm-instance.ts'
import { sharedModule } from './shared-module.ts'
import { startTeam } from './team.ts'
import type { ThreadOptions } from './thread-options.ts'

/** Below this many elements a thread, handing the work over costs more than doing it. */
const smallestShare = 8192

const vectorsReserved = 24

export const threadOptions = table({
  threads: option(wholeFrom(1, 64), 'threads that share the work, the calling one included'),
  dim: count('number of variables of the run'),
  precision: choice(['float64', 'float32'], 'precision of the run', 'float64'),
})

/** Kernels that can be put away when the run is over. */
export interface ThreadedKernels extends Kernels {
  dispose(): void
}

/**
 * Kernels whose rows and updates are shared out over several threads, tile by tile, with the same bits as one thread:
 * pass them as the option `kernels` of one run. Their vectors lie in shared memory. Node only.
 */
export function threadedKernels(options: ThreadOptions): ThreadedKernels {
  const { threads, dim, precision } = parseOptions('threadedKernels', threadOptions, options ?? {})
  const module = compiledFrom(sharedModule)
  const pages = pagesFor(dim * (precision === 'float32' ? 4 : 8) * vectorsReserved)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  const instance = link(module, memory)
  const helpers = Math.max(0, Math.min(threads, Math.floor(dim / smallestShare)) - 1)
  const scratch = Array.from({ length: helpers }, (_, i) => instance.heapBase + i * instance.scratchBytes)
  const team = startTeam(module, memory, scratch)
  const share: Share = (code, routine, size, ...numbers) => team.run(code, routine, size, numbers)
  const heapBase = instance.heapBase + helpers * instance.scratchBytes
  const kernels = kernelsOn({ ...instance, heapBase }, share)
  return Object.assign(kernels, { dispose: () => team.dispose() })
}
