// @ts-check
// Installs the peers of npm run bench into .peers/, which git ignores: NumPy, PyTorch for the processor, and the minimisers
// that npm run bench -- general compares with; with the word attacks behind it, the attacks of npm run bench -- attacks alone.
// Where ZEROTH_PEERS_PYTHON points to a Python that has them, it only says which versions it found.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../.peers', import.meta.url))
const local = join(folder, 'bin/python')
const wheels = 'https://download.pytorch.org/whl/cpu'
const versions = 'import numpy, torch; print("numpy", numpy.__version__, "torch", torch.__version__)'

const minimizers = ['scipy', 'cma', 'nevergrad', 'optuna', 'Py-BOBYQA', 'coco-experiment']

const attacks = fileURLToPath(new URL('../bench/peers/attacks-requirements.txt', import.meta.url))
const pip = ['-m', 'pip', 'install', '--disable-pip-version-check']

const given = process.env.ZEROTH_PEERS_PYTHON
const wantsAttacks = process.argv[2] === 'attacks'
if (given === undefined) install()
check(given ?? local)

function install() {
  if (!existsSync(local)) attempt('python3', ['-m', 'venv', folder], 'python3 with its venv module is needed')
  if (wantsAttacks) installAttacks()
  else installUsual()
}

function installAttacks() {
  const pinned = readFileSync(attacks, 'utf8').match(/^torch.*==.*$/gm) ?? []
  const torch = pinned.filter((line) => !line.startsWith('torchattacks'))
  // Those for the processor alone, where they can be reached; what is there already is not installed again.
  run(local, [...pip, ...torch, '--index-url', wheels])
  attempt(local, [...pip, '-r', attacks], `pip could not install what ${attacks} lists`)
}

function installUsual() {
  attempt(local, [...pip, 'numpy'], 'pip could not install numpy')
  // The wheels for the processor alone are a tenth of the usual ones; where they cannot be reached, those will do.
  if (!run(local, [...pip, 'torch', '--index-url', wheels])) {
    attempt(local, [...pip, 'torch'], 'pip could not install torch')
  }
  attempt(local, [...pip, ...minimizers], `pip could not install ${minimizers.join(', ')}`)
  const npm = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', 'nlopt-js']
  attempt('npm', npm, 'npm could not install nlopt-js')
}

/** @param {string} python */
function check(python) {
  attempt(python, ['-c', versions], `${python} does not have both numpy and torch`)
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} complaint
 */
function attempt(command, args, complaint) {
  if (run(command, args)) return
  process.stderr.write(`bench:setup: ${complaint}; npm run bench works without, and skips these peers\n`)
  process.exit(1)
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  try {
    execFileSync(command, args, { stdio: 'inherit' })
    return true
  } catch {
    return false
  }
}
