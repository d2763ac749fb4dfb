export { type ThreadedKernels, type ThreadOptions, threadedKernels } from './threaded-kernels.ts'
