/**
 * The order of the pages: what people want to do first, then what to look up.
 * @type {readonly { readonly text: string, readonly pages: readonly (readonly [file: string, title: string])[] }[]}
 */
export const sections = [
  {
    text: 'Start',
    pages: [
      ['getting-started', 'The command line in ten minutes'],
      ['minimize', 'Minimise a function'],
      ['robustness', 'How robust is my classifier?'],
    ],
  },
  {
    text: 'Tasks',
    pages: [
      ['recipes', 'Recipes'],
      ['tune', 'Tune a program'],
      ['python', 'From Python, and other languages'],
      ['programs', 'A program in any language'],
      ['services', 'A service or a model behind an API'],
      ['variables', 'Variables with names and scales'],
      ['models', 'Your own classifier'],
      ['images', 'Your own images'],
      ['gpu', 'A model on a GPU'],
      ['workers', 'Modules and worker threads'],
      ['many-machines', 'Many machines'],
      ['wrappers', 'Limits, retries, cache, log'],
      ['sessions', 'Ask and tell'],
      ['works', 'Begin, watch, stop, resume'],
    ],
  },
  {
    text: 'Watch',
    pages: [
      ['ui', 'The page of your runs'],
      ['reports', 'Reports'],
      ['trackers', 'TensorBoard and MLflow'],
    ],
  },
  {
    text: 'Methods',
    pages: [
      ['which-method', 'Which method when'],
      ['parts', 'Choosing and combining parts'],
      ['learning-rates', 'Learning rates, and methods without one'],
      ['subspaces', 'Fewer dimensions'],
      ['specialists', 'Specialists for a quick first success'],
      ['your-own-solver', 'Write your own solver'],
      ['your-own-estimator', 'Write your own estimator'],
      ['your-own-step', 'Write your own step'],
      ['your-own-set', 'Write your own set'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['reference/index', 'API'],
      ['options', 'All options'],
      ['command-line', 'All commands'],
      ['specs', 'Specs'],
      ['run-directory', 'The run directory'],
      ['embedded', 'Embedded classifiers and images'],
    ],
  },
  {
    text: 'Results',
    pages: [
      ['results/README', 'The paper, reproduced'],
      ['results/full', 'Full scale: Inception V3'],
      ['results/full-reference', "Full scale: the authors' code"],
      ['results/standard', 'Standard: CIFAR-10'],
      ['results/quick', 'Quick: digits'],
      ['beyond', 'Beyond the paper'],
      ['theory', 'The theory'],
      ['reproduce', 'Reproduce the paper'],
      ['benchmarks', 'Benchmarks'],
    ],
  },
  { text: 'Why', pages: [['responsible-use', 'Responsible use']] },
]
