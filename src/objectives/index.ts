export { type CallLogFile, callLogFile, readCallLog } from '../wrappers/call-log-file.ts'
export * from './registry.ts'
