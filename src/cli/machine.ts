export * from '../provenance/machine.ts'
