export * from '../provenance/wall-clock.ts'
