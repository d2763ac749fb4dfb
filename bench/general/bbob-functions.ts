import { minimizer, normals, order, rotation, uniforms } from './bbob-random.ts'
import { dot, listOf, type Numbers, sum, times } from './vectors.ts'

/** A function of BBOB before its minimum value is added, made for an instance's seed and a dimension. */
export type BbobFunction = (seed: number, d: number) => (x: Numbers) => number

const { abs, cos, exp, log, max, min, PI, round, sign, sin, sqrt } = Math

/**
 * Functions 1 to 24 (Hansen, Finck, Ros, Auger: "Real-parameter black-box optimization benchmarking 2009: noiseless
 * functions definitions", RR-6829), in the names of that report: T_osz is `oscillated`, T_asy `asymmetric`, f_pen
 * `penalty`, Lambda^alpha the `ladder` of alpha.
 */
export const bbobFunctions: readonly BbobFunction[] = [
  shifted(() => squared),
  shifted((_, d) => ellipsoid(ladder(1e6, d))),
  shifted((_, d) => (x) => rastrigin(scaled(ladder(sqrt(10), d), asymmetric(0.2, x.map(oscillated))))),
  buecheRastrigin,
  linearSlope,
  attractiveSector,
  stepEllipsoid,
  rosenbrock,
  rotatedRosenbrock,
  shifted((seed, d) => {
    const value = ellipsoid(ladder(1e6, d))
    const turned = rotation(seed + 1e6, d)
    return (x) => value(times(turned, x))
  }),
  rotated((z) => squared(z) + (1e6 - 1) * (z[0] as number) ** 2, true),
  bentCigar,
  sharpRidge,
  rotated((z) => sqrt(sum(z.length, (i) => abs(z[i] as number) ** (2 + (4 * i) / (z.length - 1))))),
  distorted((z) => rastrigin(z), 10, 0.2),
  weierstrass,
  schaffers(10),
  schaffers(1000),
  griewankRosenbrock,
  schwefel,
  gallagher(101, 1, sqrt(1000)),
  gallagher(21, 0.98, 1000),
  katsuura,
  lunacek,
]

function shifted(make: BbobFunction): BbobFunction {
  return (seed, d) => {
    const [value, best] = [make(seed, d), minimizer(seed, d)]
    return (x) => value(x.map((v, i) => v - (best[i] as number)))
  }
}

/** Shifted and rotated once, with or without T_osz. */
function rotated(value: (z: Numbers) => number, oscillating = false): BbobFunction {
  return shifted((seed, d) => {
    const turned = rotation(seed + 1e6, d)
    return (x) => value(oscillating ? times(turned, x).map(oscillated) : times(turned, x))
  })
}

/** Shifted, rotated, T_osz, T_asy, then rotated, scaled, rotated. */
function distorted(value: (z: Numbers) => number, condition: number, beta: number): BbobFunction {
  return shifted((seed, d) => {
    const turned = rotation(seed + 1e6, d)
    const sheared = shear(seed, d, sqrt(condition))
    return (x) => value(sheared(asymmetric(beta, times(turned, x).map(oscillated))))
  })
}

/** x R(seed) diag(ladder) R(seed + 1e6). */
function shear(seed: number, d: number, top: number): (x: Numbers) => number[] {
  const [first, last, scales] = [rotation(seed, d), rotation(seed + 1e6, d), ladder(top, d)]
  return (x) => times(last, scaled(scales, times(first, x)))
}

/** Powers of `top` from 0 to 1. */
function ladder(top: number, d: number): number[] {
  return listOf(d, (i) => top ** (i / (d - 1)))
}

function scaled(factors: Numbers, x: Numbers): number[] {
  return x.map((v, i) => v * (factors[i] as number))
}

function squared(x: Numbers): number {
  return dot(x, x)
}

function ellipsoid(weights: Numbers): (x: Numbers) => number {
  return (x) => sum(x.length, (i) => (weights[i] as number) * oscillated(x[i] as number) ** 2)
}

function oscillated(x: number): number {
  if (x === 0) return 0
  const t = log(abs(x)) / 0.1
  const [a, b] = x > 0 ? [1, 0.79] : [0.55, 0.31]
  return sign(x) * exp(t + 0.49 * (sin(a * t) + sin(b * t))) ** 0.1
}

function asymmetric(beta: number, x: Numbers): number[] {
  return x.map((v, i) => (v > 0 ? v ** (1 + ((beta * i) / (x.length - 1)) * sqrt(v)) : v))
}

function penalty(x: Numbers): number {
  return sum(x.length, (i) => max(0, abs(x[i] as number) - 5) ** 2)
}

function rastrigin(z: Numbers): number {
  return 10 * (z.length - sum(z.length, (i) => cos(2 * PI * (z[i] as number)))) + squared(z)
}

/** The two terms of Rosenbrock's function, for each pair of neighbours. */
function valleys(z: Numbers): number[] {
  return listOf(z.length - 1, (i) => {
    const [a, b] = [z[i] as number, z[i + 1] as number]
    return 100 * (a * a - b) ** 2 + (a - 1) ** 2
  })
}

function total(z: Numbers): number {
  return sum(z.length, (i) => z[i] as number)
}

function buecheRastrigin(seed: number, d: number): (x: Numbers) => number {
  const best = minimizer(seed, d).map((v, i) => (i % 2 === 0 ? abs(v) : v))
  const scales = ladder(sqrt(10), d)
  return (x) => {
    const z = x.map((v, i) => {
      const t = oscillated(v - (best[i] as number))
      return (scales[i] as number) * (t > 0 && i % 2 === 0 ? 10 * t : t)
    })
    return rastrigin(z) + 100 * penalty(x)
  }
}

function linearSlope(seed: number, d: number): (x: Numbers) => number {
  const signs = minimizer(seed, d).map(sign)
  const slopes = ladder(10, d)
  return (x) => sum(d, (i) => (slopes[i] as number) * (5 - min(5, (x[i] as number) * (signs[i] as number))))
}

function attractiveSector(seed: number, d: number): (x: Numbers) => number {
  const [best, sheared] = [minimizer(seed, d), shear(seed, d, sqrt(10))]
  return (x) => {
    const z = sheared(x.map((v, i) => v - (best[i] as number)))
    const steep = z.map((v, i) => (v * (best[i] as number) > 0 ? 100 * v : v))
    return oscillated(squared(steep)) ** 0.9
  }
}

function stepEllipsoid(seed: number, d: number): (x: Numbers) => number {
  const [best, first, last] = [minimizer(seed, d), rotation(seed, d), rotation(seed + 1e6, d)]
  const [scales, weights] = [ladder(sqrt(10), d), ladder(100, d)]
  return (x) => {
    const smooth = times(
      first,
      x.map((v, i) => v - (best[i] as number)),
    )
    const z = scaled(scales, smooth)
    const steps = z.map((v) => (abs(v) > 0.5 ? round(v) : round(10 * v) / 10))
    const turned = times(last, steps)
    const value = sum(d, (i) => (weights[i] as number) * (turned[i] as number) ** 2)
    return 0.1 * max(1e-4 * abs(z[0] as number), value) + penalty(x)
  }
}

function rosenbrock(seed: number, d: number): (x: Numbers) => number {
  const [best, scale] = [minimizer(seed, d), max(1, sqrt(d) / 8)]
  return (x) => total(valleys(x.map((v, i) => scale * (v - 0.75 * (best[i] as number)) + 1)))
}

function rotatedRosenbrock(seed: number, d: number): (x: Numbers) => number {
  const [turned, scale] = [rotation(seed, d), max(1, sqrt(d) / 8)]
  return (x) => total(valleys(times(turned, x).map((v) => scale * v + 0.5)))
}

function bentCigar(seed: number, d: number): (x: Numbers) => number {
  // The minimiser has the seed of the rotation here.
  const [best, turned] = [minimizer(seed + 1e6, d), rotation(seed + 1e6, d)]
  return (x) => {
    const once = times(
      turned,
      x.map((v, i) => v - (best[i] as number)),
    )
    const z = times(turned, asymmetric(0.5, once))
    return 1e6 * squared(z) + (1 - 1e6) * (z[0] as number) ** 2
  }
}

function sharpRidge(seed: number, d: number): (x: Numbers) => number {
  const [best, sheared] = [minimizer(seed, d), shear(seed, d, sqrt(10))]
  return (x) => {
    const z = sheared(x.map((v, i) => v - (best[i] as number)))
    const along = (z[0] as number) ** 2
    return along + 100 * sqrt(squared(z.slice(1)))
  }
}

function weierstrass(seed: number, d: number): (x: Numbers) => number {
  const [best, turned, sheared] = [minimizer(seed, d), rotation(seed + 1e6, d), shear(seed, d, 1 / 10)]
  const wave = (t: number): number => sum(12, (k) => 0.5 ** k * cos(2 * PI * 3 ** k * t))
  const lowest = wave(0.5)
  return (x) => {
    const once = times(
      turned,
      x.map((v, i) => v - (best[i] as number)),
    )
    const z = sheared(once.map(oscillated))
    return 10 * (sum(d, (i) => wave((z[i] as number) + 0.5)) / d - lowest) ** 3 + (10 / d) * penalty(x)
  }
}

function schaffers(condition: number): BbobFunction {
  return (seed, d) => {
    const [best, first, last] = [minimizer(seed, d), rotation(seed + 1e6, d), rotation(seed, d)]
    const scales = ladder(sqrt(condition), d)
    return (x) => {
      const once = times(
        first,
        x.map((v, i) => v - (best[i] as number)),
      )
      const z = scaled(scales, times(last, asymmetric(0.5, once)))
      const mean = sum(d - 1, (i) => {
        const s = (z[i] as number) ** 2 + (z[i + 1] as number) ** 2
        return s ** 0.25 * (sin(50 * s ** 0.1) ** 2 + 1)
      })
      return (mean / (d - 1)) ** 2 + 10 * penalty(x)
    }
  }
}

function griewankRosenbrock(seed: number, d: number): (x: Numbers) => number {
  const [turned, scale] = [rotation(seed, d), max(1, sqrt(d) / 8)]
  return (x) => {
    const terms = valleys(times(turned, x).map((v) => scale * v + 0.5))
    return 10 + (10 / (d - 1)) * total(terms.map((t) => t / 4000 - cos(t)))
  }
}

function schwefel(seed: number, d: number): (x: Numbers) => number {
  const signs = uniforms(d, seed).map((u) => sign(u - 0.5))
  const [best, scales] = [4.2096874633, ladder(sqrt(10), d)]
  return (x) => {
    const doubled = x.map((v, i) => 2 * (signs[i] as number) * v)
    const z = doubled.map((v, i) => {
      const chained = i === 0 ? v : v + 0.25 * ((doubled[i - 1] as number) - best)
      return 100 * ((scales[i] as number) * (chained - best) + best)
    })
    const outside = sum(d, (i) => max(0, abs(z[i] as number) - 500) ** 2)
    const waves = sum(d, (i) => (z[i] as number) * sin(sqrt(abs(z[i] as number)))) / d
    return 0.01 * (418.9828872724339 - waves) + 0.01 * outside
  }
}

function gallagher(peaks: number, spread: number, firstCondition: number): BbobFunction {
  return (seed, d) => {
    const turned = rotation(seed, d)
    const ranks = order(uniforms(peaks - 1, seed))
    const conditions = [firstCondition, ...ranks.map((k) => 1000 ** (k / (peaks - 2)))]
    const places = uniforms(d * peaks, seed).map((u) => spread * (10 * u - 5))
    const all = conditions.map((condition, k) => {
      const permutation = order(uniforms(d, seed + 1e3 * k))
      const center = times(turned, places.slice(k * d, (k + 1) * d))
      return {
        height: k === 0 ? 10 : 1.1 + (8 * (k - 1)) / (peaks - 2),
        weights: permutation.map((j) => condition ** (j / (d - 1) - 0.5)),
        center: k === 0 ? center.map((v) => 0.8 * v) : center,
      }
    })
    return (x) => {
      const z = times(turned, x)
      let top = 0
      for (const { height, weights, center } of all) {
        const far = sum(d, (i) => (weights[i] as number) * ((z[i] as number) - (center[i] as number)) ** 2)
        top = max(top, height * exp((-0.5 / d) * far))
      }
      return oscillated(10 - top) ** 2 + penalty(x)
    }
  }
}

function katsuura(seed: number, d: number): (x: Numbers) => number {
  const [best, sheared] = [minimizer(seed, d), shear(seed, d, 10)]
  return (x) => {
    const z = sheared(x.map((v, i) => v - (best[i] as number)))
    const product = z.reduce((p, v, i) => {
      const rough = sum(32, (k) => abs(2 ** (k + 1) * v - round(2 ** (k + 1) * v)) / 2 ** (k + 1))
      return p * (1 + (i + 1) * rough)
    }, 1)
    return (10 / d ** 2) * (product ** (10 / d ** 1.2) - 1) + penalty(x)
  }
}

function lunacek(seed: number, d: number): (x: Numbers) => number {
  const [signs, sheared] = [normals(d, seed).map(sign), shear(seed, d, 10)]
  const mu = 2.5
  const s = 1 - 0.5 / (sqrt(d + 20) - 4.1)
  const other = -sqrt((mu ** 2 - 1) / s)
  return (x) => {
    const z = x.map((v, i) => 2 * (signs[i] as number) * v)
    const spheres = min(squared(z.map((v) => v - mu)), d + s * squared(z.map((v) => v - other)))
    const turned = sheared(z.map((v) => v - mu))
    return spheres + 10 * (d - sum(d, (i) => cos(2 * PI * (turned[i] as number)))) + 1e4 * penalty(x)
  }
}
