// The native peer of the kernels benchmark: the algorithm of assembly/ (Philox-seeded sfc32 streams, Box-Muller, rows in
// two passes, moments and clip in one) in vectors of W lanes, as GCC compiles it. It rounds dimensions up to whole steps
// and has no guards against infinities, so it does a little less than the kernels it is compared with.
//
// Speaks lines, as bench/peer.ts wants them: "title | variants" first, then the milliseconds of each request.
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#ifndef W
#define W 4
#endif

typedef float vf __attribute__((vector_size(W * 4), aligned(4), may_alias));
typedef int32_t vi __attribute__((vector_size(W * 4), aligned(4), may_alias));
typedef uint32_t vu __attribute__((vector_size(W * 4), aligned(4), may_alias));
typedef uint64_t vl __attribute__((vector_size(W * 8)));

#define SPLAT(x) ((vf){} + (float)(x))
#define LOAD(p) (*(const vf *)(p))
#define STORE(p, value) (*(vf *)(p) = (value))

static const int tileSize = 4096;
static const float mu = 0.005f, beta1 = 0.9f, beta2 = 0.3f, alpha = 0.01f, bound = 0.5f;

static inline vf root(vf a) {
#if W == 4
  return (vf)_mm_sqrt_ps((__m128)a);
#elif W == 8
  return (vf)_mm256_sqrt_ps((__m256)a);
#else
  return (vf)_mm512_sqrt_ps((__m512)a);
#endif
}

struct Stream {
  vu a, b, c, d;
  inline vu next() {
    vu word = a + b + d;
    d += 1;
    a = b ^ (b >> 9);
    b = c + (c << 3);
    c = ((c << 21) | (c >> 11)) + word;
    return word;
  }
};

static inline vu multiplyHigh(vu a, uint32_t b) {
  return __builtin_convertvector((__builtin_convertvector(a, vl) * b) >> 32, vu);
}

// One Philox4x32-10 block per lane.
static Stream seeded(uint32_t tile, uint32_t row, uint32_t iteration, uint32_t firstLane) {
  vu c0 = (vu){} + tile, c1 = (vu){} + row, c2 = (vu){} + iteration, c3 = (vu){} + firstLane;
  for (int lane = 0; lane < W; lane++) c3[lane] += lane;
  uint32_t k0 = 1, k1 = 0;
  for (int round = 0; round < 10; round++) {
    vu high0 = multiplyHigh(c0, 0xd2511f53u), high1 = multiplyHigh(c2, 0xcd9e8d57u);
    vu low0 = c0 * 0xd2511f53u, low1 = c2 * 0xcd9e8d57u;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {c0, c1, c2, c3};
}

static inline vf asFloat(vu word) { return __builtin_convertvector((vi)((word & 0x7fffffbfu) | 1), vf); }

static inline void logArguments(vf p, vf &s, vf &k) {
  vu bits = (vu)p;
  vf f = (vf)((bits & 0x7fffffu) | 0x3f800000u);
  s = (f - 1.0f) / (5.0f - f);
  k = __builtin_convertvector(157 - (vi)(bits >> 23), vf) * 1.3862944f;
}

static inline vf squaredRadius(vf s, vf k) {
  vf ss = s * s;
  return (((SPLAT(0.684521) * ss + 0.79178923f) * ss + 1.33352f) * ss + 3.9999993f) * s + k;
}

static inline double laneSum(vf sums) {
  double sum = 0;
  for (int lane = 0; lane < W; lane++) sum += sums[lane];
  return sum;
}

// Squared radii of one tile; returns their sum, which is the sum of squares of the normals.
template <bool pipelined>
static double radii(Stream stream, int steps, float *into) {
  double total = 0;
  vf s, k, p = {};
  if (pipelined) {
    logArguments(asFloat(stream.next()), s, k);
    p = asFloat(stream.next());
  }
  for (int first = 0; first < steps; first += 64) {
    int end = first + 64 < steps ? first + 64 : steps;
    vf sum = {};
    for (int step = first; step < end; step++, into += W) {
      if (!pipelined) logArguments(asFloat(stream.next()), s, k);
      vf squared = squaredRadius(s, k);
      if (pipelined) {
        logArguments(p, s, k);
        p = asFloat(stream.next());
      }
      STORE(into, squared);
      sum += squared;
    }
    total += laneSum(sum);
  }
  return total;
}

struct Turn {
  vf radius, h, u;
};

static inline Turn turned(vu word, vf squared) {
  vf y = __builtin_convertvector((vi)word, vf) * 4.656612873077393e-10f, yy = y * y;
  vf h = (((SPLAT(-5.0841616e-5) * yy + 0.0035213933f) * yy - 0.114191286f) * yy + 1.1107208f) * y;
  vf u = ((SPLAT(-4.5074924e-4) * yy + 0.022414839f) * yy - 0.43617764f) * yy + 1.4142135f;
  return {(vf)((vu)root(squared) ^ (word << 31)), h, u};
}

// x + scale z over one tile; `into` may overlap `squares` from below.
template <bool pipelined>
static void place(Stream stream, int steps, const float *squares, const float *x, float *into, float scale) {
  Turn turn;
  if (pipelined) turn = turned(stream.next(), LOAD(squares));
  for (int step = 0; step < steps; step++, squares += W, x += 2 * W, into += 2 * W) {
    if (!pipelined) turn = turned(stream.next(), LOAD(squares));
    vf z0 = turn.radius * (1.0f - turn.h * turn.h), z1 = turn.radius * (turn.h * turn.u);
    if (pipelined) turn = turned(stream.next(), LOAD(squares + W));
    STORE(into, LOAD(x) + scale * z0);
    STORE(into + W, LOAD(x + W) + scale * z1);
  }
}

template <bool pipelined>
static void writeRow(const float *x, float *into, int dim, int row, int iteration) {
  static float last[tileSize / 2 + 64];
  double sum = 0;
  for (int first = 0; first < dim; first += tileSize) {
    int count = dim - first < tileSize ? dim - first : tileSize;
    float *squares = count == tileSize ? into + first + tileSize / 2 : last;
    sum += radii<pipelined>(seeded(first / tileSize, row, iteration, 0), count / (2 * W), squares);
  }
  float scale = (float)(mu / std::sqrt(sum));
  for (int first = 0; first < dim; first += tileSize) {
    int count = dim - first < tileSize ? dim - first : tileSize;
    float *squares = count == tileSize ? into + first + tileSize / 2 : last;
    place<pipelined>(seeded(first / tileSize, row, iteration, W), count / (2 * W), squares, x + first, into + first, scale);
  }
}

static inline void moveOne(float *x, float *m, float *v, float *highest, vf point, vf g) {
  vf first = beta1 * LOAD(m) + (1 - beta1) * g, second = beta2 * LOAD(v) + (1 - beta2) * (g * g);
  vf h = LOAD(highest);
  h = second > h ? second : h;
  STORE(m, first);
  STORE(v, second);
  STORE(highest, h);
  vf next = point - alpha * (first / root(h));
  next = next < -bound ? SPLAT(-bound) : next;
  next = next > bound ? SPLAT(bound) : next;
  STORE(x, next);
}

// The gradient from the kept rows, moments, step and clip, in one pass.
static void update(float *x, const float *rows, int dim, int q, const float *weights, float *m, float *v, float *highest) {
  int i = 0;
  for (; i + 4 * W <= dim; i += 4 * W) {
    vf points[4], g[4] = {};
    for (int j = 0; j < 4; j++) points[j] = LOAD(x + i + j * W);
    for (int row = 0; row < q; row++) {
      const float *from = rows + (size_t)row * dim + i;
      for (int j = 0; j < 4; j++) g[j] += weights[row] * (LOAD(from + j * W) - points[j]);
    }
    for (int j = 0; j < 4; j++) {
      int at = i + j * W;
      moveOne(x + at, m + at, v + at, highest + at, points[j], g[j]);
    }
  }
  for (; i < dim; i += W) {
    vf g = {}, point = LOAD(x + i);
    for (int row = 0; row < q; row++) g += weights[row] * (LOAD(rows + (size_t)row * dim + i) - point);
    moveOne(x + i, m + i, v + i, highest + i, point, g);
  }
}

struct Run {
  int dim = 0, q = 0, iteration = 0;
  float *x = nullptr, *m, *v, *highest, *rows, *weights;
};

static float *vectorOf(size_t length, float value) {
  float *vector = (float *)malloc((length + 64) * sizeof(float));
  for (size_t i = 0; i < length + 64; i++) vector[i] = value;
  return vector;
}

static void open(Run &run, int dim, int q) {
  if (run.x != nullptr)
    for (float *each : {run.x, run.m, run.v, run.highest, run.rows, run.weights}) free(each);
  run = {dim, q, 0, vectorOf(dim, 0), vectorOf(dim, 0), vectorOf(dim, 1e-5f), vectorOf(dim, 1e-5f),
         vectorOf((size_t)dim * (q + 1), 0), vectorOf(q, 0)};
  for (int i = 0; i < q; i++) run.weights[i] = (float)dim / q * std::sin(1.0f + i) * 0.01f / (mu * mu);
}

template <bool pipelined>
static void iterate(Run &run) {
  run.iteration++;
  memcpy(run.rows, run.x, (size_t)run.dim * sizeof(float));
  float *probes = run.rows + run.dim;
  for (int row = 0; row < run.q; row++)
    writeRow<pipelined>(run.x, probes + (size_t)row * run.dim, run.dim, row, run.iteration);
  update(run.x, probes, run.dim, run.q, run.weights, run.m, run.v, run.highest);
}

static double milliseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

int main() {
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  printf("GCC %d.%d | plain/%d pipelined/%d\n", __GNUC__, __GNUC_MINOR__, W, W);
  static Run run;
  char variant[32];
  int dim, q, iterations;
  while (scanf("%31s %d %d %d", variant, &dim, &q, &iterations) == 4) {
    int whole = (dim + 2 * W - 1) / (2 * W) * (2 * W);
    if (whole != run.dim || q != run.q) open(run, whole, q);
    void (*one)(Run &) = strncmp(variant, "plain", 5) == 0 ? iterate<false> : iterate<true>;
    double began = milliseconds();
    for (int i = 0; i < iterations; i++) one(run);
    printf("%.6f\n", (milliseconds() - began) / iterations);
  }
}
