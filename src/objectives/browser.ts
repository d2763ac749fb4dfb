export * from './browser-registry.ts'
