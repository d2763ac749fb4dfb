// Every part that a run is made of: a new one gets its line here, and a test says so if it has none.
export { auto } from './optimizer/methods/auto-part.ts'
export { bayesian } from './optimizer/methods/bayesian/bayesian.ts'
export { blockDescent } from './optimizer/methods/block-descent.ts'
export { cmaES } from './optimizer/methods/cma-es.ts'
export { descent } from './optimizer/methods/descent.ts'
export { noisyDescent } from './optimizer/methods/noisy-descent.ts'
export {
  zoAdaMM,
  zoNES,
  zoNormalized,
  zoPSGD,
  zoRAdaZO,
  zoSCD,
  zoSGD,
  zoSignSGD,
  zoSMD,
} from './optimizer/methods/presets.ts'
export { quasiNewton } from './optimizer/methods/quasi-newton.ts'
export { random } from './optimizer/methods/random.ts'
export { trustRegion } from './optimizer/methods/trust-region.ts'
export {
  counterexample,
  linear,
  quadratic,
  rosenbrock,
  rotatedQuadratic,
  smoothAbsolute,
  sumOfSines,
} from './optimizer/objectives/problems/functions.ts'
export { logisticRegression, robustRegression } from './optimizer/objectives/problems/regression.ts'
export { dct, localDct } from './optimizer/parts/bases/dct.ts'
export { blocks, givenBasis, tiles } from './optimizer/parts/bases/tiles.ts'
export { coordinate, gaussian, given, sphere } from './optimizer/parts/directions/basic.ts'
export { guided } from './optimizer/parts/directions/guided.ts'
export { orthogonal } from './optimizer/parts/directions/orthogonal.ts'
export { subspace } from './optimizer/parts/directions/subspace.ts'
export { aligned } from './optimizer/parts/estimators/aligned.ts'
export { central, forward, majorityVote, nes } from './optimizer/parts/estimators/differences.ts'
export { entropy, euclidean } from './optimizer/parts/mirrors/mirrors.ts'
export { boxAndL2Ball, l1Ball, l2Ball } from './optimizer/parts/sets/balls.ts'
export { box, boxAndLinfBall, linfBall, wholeSpace } from './optimizer/parts/sets/boxes.ts'
export { intersection } from './optimizer/parts/sets/intersection.ts'
export { boxAndHyperplane, halfspace, hyperplane, simplex, slab } from './optimizer/parts/sets/planes.ts'
export { chain, distanceOverGradients, plain, sign } from './optimizer/parts/steps/basic.ts'
export { adaptiveMoments, momentum, radazo, scalarMoment } from './optimizer/parts/steps/moments.ts'
export * from './robustness/methods/parts.ts'
