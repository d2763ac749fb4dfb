export type { Images, Model, ModelSource } from './model.ts'
export * from './registry.ts'
