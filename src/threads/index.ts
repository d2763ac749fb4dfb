export type { ThreadOptions } from './thread-options.ts'
export { type ThreadedKernels, threadedKernels } from './threaded-kernels.ts'
