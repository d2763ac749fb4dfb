// The methods that look for adversarial examples: a new one gets its line here. `zeroth attack` loads these alone until a
// spec names another part.
export { adaptiveSquare } from './adaptive-square.ts'
export { labelOnly } from './decision.ts'
export { nearestBoundary } from './nearest-boundary.ts'
export { signHunter } from './sign-hunter.ts'
export { simba } from './simba.ts'
export { square } from './square.ts'
export { strongest } from './strongest.ts'
export { twoPhase } from './two-phase.ts'
