// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/*
 * Copies what is to be committed of a reproduction: its Markdown page, its tables and its figures, without the attacks.
 *   node tools/keep-results.mjs FOLDER [--out docs/results] [--name NAME | --add-to NAME] [--commit HASH] [--notes FILE]
 * --name is what it is kept as; the scale, and the profile where that is not the usual one, if left out.
 * --commit names the commit of attacks that were made before reproductions recorded it; a recorded one stays.
 * --add-to is a page that was kept before: the tables and figures of this reproduction become sections of it, with how they
 * were made, and take the place of those of the same title.
 * --notes is Markdown of your own, with links as from the folder beside the page, which stands before the claims; it is kept beside the tables and used again.
 */

/** Bytes above which a figure is a picture rather than a drawing, and is kept as PNG. */
const largestDrawing = 800_000
/** Bytes that the results of one scale should not exceed. */
const wanted = 3_000_000

/** What is kept of the notes. */
const notesFile = 'notes.md'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    name: { type: 'string' },
    'add-to': { type: 'string' },
    commit: { type: 'string' },
    notes: { type: 'string' },
  },
})
const [given] = positionals
if (given === undefined || positionals.length > 1) {
  throw new Error('give the folder of one reproduction: node tools/keep-results.mjs FOLDER [--commit HASH]')
}
const out = values.out ?? fileURLToPath(new URL('../docs/results', import.meta.url))
const addTo = values['add-to']
const name = await (addTo === undefined ? keep(resolve(given), out, values) : add(resolve(given), out, addTo))
writeFileSync(join(out, 'README.md'), indexText(out))
const bytes = readdirSync(join(out, name)).reduce((sum, file) => sum + statSync(join(out, name, file)).size, 0)
console.log(`${join(out, name)}.md and ${Math.round(bytes / 1000)} kB beside it`)
if (bytes > wanted) console.error(`warning: more than ${wanted / 1e6} MB`)

/**
 * Keeps one reproduction under a name.
 * @param {string} folder
 * @param {string} out
 * @param {{ name?: string, commit?: string, notes?: string }} options
 */
async function keep(folder, out, { name: wanted, commit, notes: given }) {
  for (const file of ['index.md', 'claims.json']) {
    if (existsSync(join(folder, file))) continue
    throw new Error(`there is no ${join(folder, file)}: draw it with npm run reproduce -- --out ${folder} --redraw`)
  }
  // Where it was made says nothing to others, nor where it was before it was moved.
  const local = (/** @type {string} */ text) =>
    text.replaceAll(folder, basename(folder)).replaceAll(/(--out |-o )\/(?:[^\s`"]*\/)?/g, '$1')
  const claims = JSON.parse(local(readFileSync(join(folder, 'claims.json'), 'utf8')))
  const { scale, profile, provenance } = claims
  if (provenance.done < provenance.cells) console.error('warning: not all attacks have finished')
  const usual = profile === (scale === 'full' ? 'paper' : 'tuned') ? scale : `${scale}-${profile}`
  const name = wanted ?? usual
  const files = readdirSync(folder).filter((each) => /\.(csv|svg)$/.test(each))
  if (wanted === undefined) refuseLoss(join(out, name), files)
  const before = join(out, name, notesFile)
  const notes = given ?? (existsSync(before) ? before : undefined)
  const noted = notes === undefined ? undefined : readFileSync(notes, 'utf8').trim()
  rmSync(join(out, name), { recursive: true, force: true })
  mkdirSync(join(out, name), { recursive: true })
  let page = local(readFileSync(join(folder, 'index.md'), 'utf8'))
  if (noted !== undefined) {
    // Links of the notes start from the folder of the tables.
    page = page.replace('\n## ', () => `\n${noted.replaceAll('](../', '](')}\n\n## `)
    writeFileSync(join(out, name, notesFile), `${noted}\n`)
  }
  page = page.replaceAll('](claims.json)', `](${name}/claims.json)`)
  for (const file of files) {
    const kept = await keepFile(folder, file, join(out, name))
    page = page.replaceAll(`](${file})`, `](${name}/${kept})`)
  }
  for (const session of provenance.sittings) {
    if (session.commit === undefined && session.command === undefined && commit !== undefined) {
      Object.assign(session, { commit, isCommitStated: true })
    }
  }
  if (commit !== undefined) {
    const unknown = /\| commit \| (not recorded|none: not run from a git checkout)/
    page = page.replace(unknown, `| commit | ${commit} (stated afterwards)`)
  }
  writeFileSync(join(out, name, 'claims.json'), `${JSON.stringify(claims, null, 2)}\n`)
  writeFileSync(join(out, `${name}.md`), page)
  return name
}

/**
 * Adds the tables and figures of a reproduction to a page that was kept before.
 * @param {string} folder
 * @param {string} out
 * @param {string} name
 */
async function add(folder, out, name) {
  const { provenance } = JSON.parse(readFileSync(join(folder, 'claims.json'), 'utf8'))
  const [, ...sections] = readFileSync(join(folder, 'index.md'), 'utf8').split(/^(?=## )/m)
  const shown = sections.filter((each) => !/^## (Claims of the paper|Settings)\n/.test(each))
  const made = provenance.sittings.map(
    (/** @type {Required<WorkSession>} */ { began, ended, commit, command }) =>
      `- ${began.slice(0, 16).replace('T', ' ')} to ${ended.slice(11, 16)} UTC, commit ${commit}: \`${command}\``,
  )
  let page = readFileSync(join(out, `${name}.md`), 'utf8')
  for (const section of shown) {
    const [title = ''] = section.split('\n', 1)
    let text = `${section.trimEnd()}\n\nMade in ${made.length === 1 ? 'one session' : `${made.length} sessions`}:\n\n${made.join('\n')}\n\n`
    for (const [, file = ''] of section.matchAll(/\]\(([\w-]+\.(?:csv|svg))\)/g)) {
      text = text.replaceAll(`](${file})`, `](${name}/${await keepFile(folder, file, join(out, name))})`)
    }
    const before = page.split(/^(?=## )/m).filter((each) => each.split('\n', 1)[0] !== title)
    const at = before.findIndex((each) => each.startsWith('## Settings\n'))
    page = [...before.slice(0, at), text, ...before.slice(at)].join('')
  }
  writeFileSync(join(out, `${name}.md`), page)
  return name
}

/**
 * A reproduction of some tables must not take the place of one of all.
 * @param {string} place
 * @param {string[]} files
 */
function refuseLoss(place, files) {
  const stems = new Set(files.map((file) => file.replace(/\.\w+$/, '')))
  const there = existsSync(place)
    ? readdirSync(place).filter((each) => each !== 'claims.json' && each !== notesFile)
    : []
  const lost = there.filter((file) => !stems.has(file.replace(/\.\w+$/, '')))
  if (lost.length === 0) return
  throw new Error(`${place} holds ${lost.join(', ')}, which this one has not: give it another name with --name`)
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {string} into
 */
async function keepFile(folder, file, into) {
  const content = readFileSync(join(folder, file))
  if (!file.endsWith('.svg') || content.length <= largestDrawing) {
    writeFileSync(join(into, file), content)
    return file
  }
  const picture = file.replace(/svg$/, 'png')
  const { default: sharp } = await import('sharp')
  const drawn = sharp(Buffer.from(onPaper(content.toString())), { density: 96, unlimited: true })
    .resize({ width: 1400 })
    .flatten({ background: 'white' })
  writeFileSync(join(into, picture), await drawn.png({ palette: true, compressionLevel: 9 }).toBuffer())
  return picture
}

/**
 * A drawing with the colours of light paper put in: what makes a picture of it knows no CSS variables, and takes them for black.
 * @param {string} svg
 */
function onPaper(svg) {
  const light = /\.zeroth-chart\{([^}]*)\}/.exec(svg)?.[1] ?? ''
  const colors = new Map(light.split(';').map((each) => /** @type {[string, string]} */ (each.split(':', 2))))
  return svg.replaceAll(/var\((--[\w-]+)\)/g, (given, name) => colors.get(name) ?? given)
}

/**
 * What has been kept so far, with the verdicts side by side.
 * @param {string} out
 */
function indexText(out) {
  const kept = readdirSync(out)
    .filter((each) => each.endsWith('.md') && each !== 'README.md')
    .map((page) => page.replace(/\.md$/, ''))
    .sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1))
    .map((name) => ({ name, ...JSON.parse(readFileSync(join(out, name, 'claims.json'), 'utf8')) }))
  // A page that was drawn when a claim was read otherwise has a verdict on that reading, which is a row of its own.
  const wordings = new Map(
    kept.flatMap(({ claims }) => claims.map((/** @type {Claim} */ { id, claim }) => [`**${id}** ${claim}`, id])),
  )
  const claimed = [...wordings].sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([wording]) => wording)
  const heads = kept.map(({ name }) => `[${name}](${name}.md)`)
  const rows = claimed.map((wording) => [
    wording,
    ...kept.map(({ claims }) =>
      verdictText(claims.find((/** @type {Claim} */ { id, claim }) => wording === `**${id}** ${claim}`)),
    ),
  ])
  const about = kept.map(({ name, scale, profile, provenance }) => [
    `[${name}](${name}.md)`,
    `${scale}, ${profile}`,
    [...new Set(provenance.sittings.map((/** @type {WorkSession} */ { commit }) => commit ?? '–'))].join(', ') || '–',
    provenance.sittings[0]?.began.slice(0, 10) ?? '–',
    provenance.modelCalls.toLocaleString('en'),
    `\`${provenance.command}\``,
  ])
  return [
    '# Results',
    "Results of `npm run reproduce`: every table next to the paper's numbers, every figure, and a verdict on each claim with its evidence. See [reproduce the paper](../reproduce.md). Each page says by which command, commit, seed and machine it was made, and when.",
    table(['results', 'scale, settings', 'commit', 'date', 'images classified', 'command'], about),
    'Verdicts, at equal iterations, as in the paper / at equal queries, which is fair:',
    table(['claim', ...heads], rows),
    'Written by `tools/keep-results.mjs`.',
  ]
    .join('\n\n')
    .concat('\n')
}

/** @typedef {{ verdict: string, evidence: unknown[] }} Judged */
/** @typedef {{ id: string, claim: string, iterations: Judged, queries: Judged }} Claim */
/** @typedef {{ commit?: string, began: string, ended?: string, command?: string }} WorkSession */

/** @param {Claim | undefined} claim */
function verdictText(claim) {
  // Where nothing was compared there is nothing to say.
  if (claim === undefined || claim.iterations.evidence.length + claim.queries.evidence.length === 0) return '–'
  const [first, second] = [claim.iterations, claim.queries].map(({ verdict }) =>
    verdict.replace(' from this scale', ''),
  )
  return first === second ? `**${first}**` : `${first} / ${second}`
}

/** @param {string} name */
function order(name) {
  return ['quick', 'standard', 'full'].findIndex((scale) => name.startsWith(scale))
}

/**
 * @param {string[]} heads
 * @param {string[][]} rows
 */
function table(heads, rows) {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
