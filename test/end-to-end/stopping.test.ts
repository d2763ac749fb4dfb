import { stoppingTests } from './stopping.ts'

// More of them: test/long/stopping.test.ts.
stoppingTests(false)
