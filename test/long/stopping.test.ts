import { stoppingTests } from '../end-to-end/stopping.ts'

stoppingTests(true)
