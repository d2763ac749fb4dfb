import type { AttackPageData, ComparedRun } from '../../src/app/report/index.ts'
import { samplePictures } from './sample-pictures.ts'
import { sampleReport } from './sample-report.ts'

const background = {
  title: 'A title',
  settings: [['model', 'digits']],
  machine: { node: '20.20.0' },
  created: '2026-11-21T09:41:07.123Z',
  zeroth: '0.1.0',
  command: 'npx zeroth attack --seed 7',
} as const

/** What the page of a sample evaluation is made from, changed as a test needs it. */
export function samplePage({
  report = sampleReport(),
  pictures = samplePictures,
  threshold,
  seconds,
  ...changes
}: Partial<AttackPageData & Pick<ComparedRun, 'report' | 'pictures' | 'threshold' | 'seconds'>> = {}): AttackPageData {
  const run = { name: 'attack', problem: 'constrained', report, pictures, threshold, seconds }
  return { ...background, runs: [run], ...changes }
}

/** Two methods on one problem and two on another, one of them on both. */
export function sampleComparison(changes: Partial<AttackPageData> = {}): AttackPageData {
  const methods = [
    ['zo-psgd', 'constrained'],
    ['zo-adamm', 'constrained'],
    ['zo-sgd', 'unconstrained'],
    ['zo-adamm', 'unconstrained'],
  ] as const
  const runs = methods.map(([name, problem], i) => ({
    name,
    problem,
    report: sampleReport({ seed: i + 1, fooled: 5 + i }),
    pictures: samplePictures,
    settings: [['learning rate', String(1 + i)]] as const,
  }))
  return { ...background, runs, ...changes }
}
