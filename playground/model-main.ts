import { messageOf } from '../src/core/errors.ts'
import { className, classNumber, parseClassNames } from '../src/datasets/class-names.ts'
import type { Samples } from '../src/datasets/raster.ts'
import { usualPreprocessing } from '../src/models/guess-preprocessing.ts'
import type { PreprocessingOption } from '../src/models/index.ts'
import { countText, percentText } from '../src/report/number-text.ts'
import { type AttackSettings, asCommand, modelOptions } from './as-code.ts'
import { attackView, conclusion, type Subject, sharesOf } from './attack-view.ts'
import { digitButtons, digitPixels, digitShape, markDigit } from './digits.ts'
import { byId, copied, fill } from './dom.ts'
import type { ModelFacts, ModelOptions } from './model-orders.ts'
import { type ModelSession, openModel } from './model-session.ts'
import { decodePicture, type Fit, pixelsFor } from './read-picture.ts'
import { attacks, initial } from './state.ts'

/** A file as large in memory, beside its copies in the runtime: what a page can have. */
const mostBytes = 1_000_000_000

/** The picture that was chosen: a file, or one of the digits. */
type Picture = { readonly name: string; readonly samples: Samples } | { readonly name: string; readonly digit: number }

/** What networks are usually fed with; at first what is meant where nothing is said. */
const usual: readonly PreprocessingOption[] = [
  {},
  ...new Map(
    [...usualPreprocessing(3), ...usualPreprocessing(1)].map((each) => [JSON.stringify(each), each] as const),
  ).values(),
]

startPage()

function startPage(): void {
  const message = byId('modelMessage', HTMLElement)
  const attackMessage = byId('attackMessage', HTMLElement)
  const attackButton = byId('attackModel', HTMLButtonElement)
  const preprocessing = byId('preprocessing', HTMLTextAreaElement)
  const namesText = byId('names', HTMLTextAreaElement)
  const limit = byId('limit', HTMLInputElement)
  const digits = byId('digits', HTMLElement)
  const view = attackView()
  let file: File | undefined
  let session: ModelSession | undefined
  let facts: ModelFacts | undefined
  let picture: Picture | undefined
  let names: readonly string[] = []
  /** The picture as the model sees it, with its answer. */
  let seen: { readonly subject: Subject; readonly scores: readonly number[] } | undefined
  let isAttacking = false
  let isLimitChosen = false
  let openedWith = ''
  /** Counts what was begun: what comes of anything earlier is no longer wanted. */
  let begun = 0

  const isServed = location.protocol !== 'file:'
  byId('needsHost', HTMLElement).hidden = isServed
  fill(
    'attack',
    attacks.map((name) => [name, name] as const),
  )
  fill('usual', [
    ...usual.map((each) => [JSON.stringify(each), preprocessingText(each)] as const),
    ['', 'as written below'],
  ])
  digits.replaceChildren(...digitButtons((digit) => take(() => choose({ name: `digit ${digit + 1}`, digit }))))
  restoreSettings()
  for (const form of document.forms) form.onsubmit = (event) => event.preventDefault()
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type=file]')) {
    input.disabled = !isServed
    input.onchange = () => input.files?.[0] && takeFile(input.files[0])
  }
  acceptDrops(takeFile)
  byId('usual', HTMLSelectElement).onchange = ({ target }) => feedWith((target as HTMLSelectElement).value)
  for (const id of ['preprocessing', 'input', 'output']) {
    byId(id, HTMLElement).onchange = () => written() !== openedWith && take(open)
  }
  namesText.onchange = () => take(nameClasses)
  byId('fit', HTMLElement).onchange = () => take(look)
  byId('tryUsual', HTMLButtonElement).onclick = () => take(tryUsual)
  attackButton.onclick = () => (isAttacking ? stop() : take(attack, attackMessage))
  byId('copyCommand', HTMLButtonElement).onclick = () => {
    if (file === undefined) return
    const model = modelOptions(file.name, preprocessing.value.trim() || '{}')
    copied(asCommand(settings(), model), byId('commandCopied', HTMLElement))
  }
  byId('save', HTMLButtonElement).onclick = () => savePicture(`${picture?.name.replace(/\.\w+$/, '')}-changed.png`)

  /** Begins something in place of what is under way, and says what goes wrong. */
  async function take(act: (isWanted: () => boolean) => unknown, said = message): Promise<void> {
    halt()
    attackMessage.textContent = ''
    const mine = ++begun
    const isWanted = (): boolean => mine === begun
    try {
      await act(isWanted)
    } catch (error) {
      if (isWanted()) said.textContent = messageOf(error).replace(/\.?$/, '.')
    }
  }

  /** Files say by their name what they are. */
  function takeFile(given: File): void {
    if (!isServed) return
    if (/\.onnx$/i.test(given.name)) take((isWanted) => takeModel(given, isWanted))
    else if (/\.preprocessing\.json$/i.test(given.name)) take(async () => feedWith(await given.text()))
    else if (/\.(txt|csv|json)$/i.test(given.name)) take((isWanted) => takeNames(given, isWanted))
    else if (given.type.startsWith('image/')) take((isWanted) => takePicture(given, isWanted))
    else {
      const allowed = 'an .onnx file, a picture (PNG, JPEG, WebP), names of classes (.txt, .csv, .json)'
      message.textContent = `${given.name} is none of what this page takes: ${allowed} or a .preprocessing.json.`
    }
  }

  async function takeModel(given: File, isWanted: () => boolean): Promise<void> {
    if (given.size > mostBytes) {
      const most = `at most ${countText(mostBytes)} can be opened in a browser`
      throw new Error(`${given.name} has ${countText(given.size)} bytes: ${most}; zeroth attack opens larger ones`)
    }
    file = given
    await open(isWanted)
  }

  async function takePicture(given: File, isWanted: () => boolean): Promise<void> {
    const samples = await decodePicture(given)
    if (isWanted()) await choose({ name: given.name, samples }, isWanted)
  }

  async function takeNames(given: File, isWanted: () => boolean): Promise<void> {
    namesText.value = await given.text()
    await nameClasses(isWanted)
  }

  function feedWith(text: string): void {
    if (text === '') return
    preprocessing.value = text
    take(open)
  }

  async function choose(chosen: Picture, isWanted?: () => boolean): Promise<void> {
    picture = chosen
    markDigit(digits, 'digit' in chosen ? chosen.digit : undefined)
    await look(isWanted)
  }

  /** Opens the model, with what is said about it now. */
  async function open(isWanted: () => boolean = () => true): Promise<void> {
    forget()
    session?.stop()
    session = facts = undefined
    openedWith = written()
    const known = usual.map((each) => JSON.stringify(each)).find((each) => each === preprocessing.value.trim())
    byId('usual', HTMLSelectElement).value = known ?? ''
    if (file === undefined) return
    message.textContent = `Loading ${file.name} …`
    byId('aboutModel', HTMLElement).textContent = `${file.name}.`
    facts = await ready().catch((error: unknown) => {
      // What it asks for is said there.
      if (/preprocessing|option/.test(messageOf(error))) byId('more', HTMLDetailsElement).open = true
      throw error
    })
    if (!isWanted()) return
    const { shape, classes, runtime } = facts
    const size = `images of ${shape.channels} x ${shape.height} x ${shape.width}`
    byId('aboutModel', HTMLElement).textContent = `${file.name}: ${size}, ${countText(classes)} classes; ${runtime}.`
    byId('copyCommand', HTMLButtonElement).disabled = false
    const isForDigits = JSON.stringify(shape) === JSON.stringify(digitShape)
    byId('digitsPart', HTMLElement).hidden = !isForDigits
    if (!isForDigits && picture !== undefined && 'digit' in picture) picture = undefined
    if (!isLimitChosen) limit.value = shape.channels === 1 ? '0.1' : '0.03'
    if (isForDigits && picture === undefined) {
      await choose({ name: `digit ${initial.digit + 1}`, digit: initial.digit }, isWanted)
    } else await look(isWanted)
  }

  /** The open model; begun anew where an attack was stopped. */
  async function ready(): Promise<ModelFacts> {
    if (file === undefined) throw new Error('choose a model first, an .onnx file')
    session ??= openModel(new URL('model-worker.js', location.href).href, file, optionsOf())
    try {
      return await session.facts
    } catch (error) {
      session.stop()
      session = undefined
      throw error
    }
  }

  /** What is written about the network. */
  function written(): string {
    return [preprocessing, byId('input', HTMLInputElement), byId('output', HTMLInputElement)]
      .map(({ value }) => value.trim())
      .join('\n')
  }

  function optionsOf(): ModelOptions {
    const text = preprocessing.value.trim() || '{}'
    const textOf = (id: string): string | undefined => byId(id, HTMLInputElement).value.trim() || undefined
    try {
      return {
        preprocessing: JSON.parse(text),
        input: textOf('input'),
        output: textOf('output'),
        named: names.length,
      }
    } catch (error) {
      throw new Error(`preprocessing is not JSON: ${messageOf(error)}`)
    }
  }

  async function nameClasses(isWanted: () => boolean = () => true): Promise<void> {
    const text = namesText.value.trim()
    names = text === '' ? [] : parseClassNames(text, 'names of the classes')
    // A model that needs them to be opened is opened now.
    if (facts === undefined) await open(isWanted)
    else await look(isWanted)
  }

  /** Shows the picture to the model, and what it makes of it. */
  async function look(isWanted: () => boolean = () => true): Promise<void> {
    forget()
    if (picture !== undefined) byId('aboutPicture', HTMLElement).textContent = `${picture.name}.`
    if (facts === undefined) return
    if (picture === undefined) {
      message.textContent = 'The model is open. Now choose a picture.'
      return
    }
    const { shape, classes } = facts
    const pixels = 'digit' in picture ? digitPixels(picture.digit) : pixelsFor(picture.samples, shape, fitOf())
    await ready()
    const scores = (await session?.scores(pixels)) ?? []
    if (!isWanted()) return
    if (!scores.every(Number.isFinite))
      throw new Error('the network gives scores that are no numbers: check the pixels')
    const isNamed = names.length === classes
    const nameOf = (index: number): string =>
      (isNamed ? className(index, names) : undefined) ?? (isNamed ? String(index) : `class ${index}`)
    const label = scores.indexOf(Math.max(...scores))
    const subject: Subject = { shape, pixels, label, nameOf, called: nameOf }
    seen = { subject, scores }
    view.showOriginal(subject)
    view.showScores(scores, subject)
    attackButton.disabled = byId('tryUsual', HTMLButtonElement).disabled = false
    const misfit =
      names.length > 0 && !isNamed ? [`${names.length} names do not fit ${classes} classes: they are not used`] : []
    message.textContent = [...misfit, ...facts.warnings].map((each) => `${each}.`).join(' ')
  }

  /** What each of the usual ways to feed a network would make it say. */
  async function tryUsual(isWanted: () => boolean): Promise<void> {
    if (seen === undefined) return
    const { subject } = seen
    await ready()
    const tried = (await session?.tryUsual(subject.pixels)) ?? []
    if (!isWanted()) return
    byId('tried', HTMLElement).replaceChildren(
      ...tried.map(({ preprocessing: fed, scores }) => {
        const best = scores.indexOf(Math.max(...scores))
        const button = document.createElement('button')
        const share = percentText(sharesOf(scores)[best] as number)
        button.type = 'button'
        button.textContent = `${preprocessingText(fed)}: ${subject.nameOf(best)}, ${share}`
        button.onclick = () => feedWith(JSON.stringify(fed))
        return button
      }),
    )
  }

  async function attack(isWanted: () => boolean): Promise<void> {
    if (seen === undefined) return
    const { subject } = seen
    const { attack: name, ...task } = settings()
    const label = trueClass(subject)
    isAttacking = true
    attackButton.textContent = 'Stop'
    attackMessage.textContent = 'Attacking …'
    try {
      await ready()
      const started = performance.now()
      const show = (frame: Parameters<typeof view.showFrame>[0]): void => {
        if (!isWanted()) return
        view.showFrame(frame, subject)
        const { queries } = task
        byId('progress', HTMLElement).textContent = `${countText(frame.queries)} of ${countText(queries)} queries`
        byId('save', HTMLButtonElement).disabled = false
      }
      const last = await session?.attack({ ...task, attack: name, pixels: subject.pixels, label }, show)
      if (!isWanted() || last === undefined) return
      const rate = Math.round((1000 * last.queries) / (performance.now() - started))
      attackMessage.textContent = `${conclusion(last)} ${countText(rate)} queries a second.`
    } finally {
      if (isWanted()) endAttack()
    }
  }

  /** The class that the model must be led away from: that which it sees, as long as nobody says that it is wrong. */
  function trueClass({ label, nameOf }: Subject): number {
    const given = byId('trueClass', HTMLInputElement).value.trim()
    if (given === '') return label
    const classes = facts?.classes ?? 0
    const number = /^\d+$/.test(given) ? Number(given) : classNumber(given, names)
    if (number >= classes) throw new Error(`the true class must be from 0 to ${classes - 1}, got ${given}`)
    if (number === label) return label
    const wrong = `the model takes the picture for ${nameOf(label)}, not for ${nameOf(number)}`
    throw new Error(`${wrong}: it is wrong without an attack; choose another picture, or other pixels`)
  }

  function stop(): void {
    halt()
    attackMessage.textContent = 'Stopped.'
  }

  /** Ends an attack under way, and the worker with it: a model in the middle of a computation hears nothing. */
  function halt(): void {
    if (!isAttacking) return
    begun++
    session?.stop()
    session = undefined
    endAttack()
  }

  function endAttack(): void {
    isAttacking = false
    attackButton.textContent = 'Attack'
    byId('progress', HTMLElement).textContent = ''
  }

  function forget(): void {
    seen = undefined
    message.textContent = ''
    byId('tried', HTMLElement).replaceChildren()
    for (const id of ['attackModel', 'tryUsual', 'save']) byId(id, HTMLButtonElement).disabled = true
  }

  function settings(): AttackSettings {
    const number = (id: string): number => {
      const input = byId(id, HTMLInputElement)
      if (input.checkValidity()) return input.valueAsNumber
      throw new Error(`${id} must be from ${input.min} to ${input.max}, got ${input.value || 'nothing'}`)
    }
    const { value: name } = byId('attack', HTMLSelectElement)
    return { attack: name, limit: number('limit'), queries: number('queries'), seed: number('seed') }
  }

  /** The settings of an attack are in the address, as on the other page. */
  function restoreSettings(): void {
    const given = new URLSearchParams(location.hash.slice(1))
    const controls = ['attack', 'limit', 'queries', 'seed'].map((id) => document.getElementById(id) as HTMLInputElement)
    for (const control of controls) {
      const { value: before } = control
      control.value = given.get(control.id) ?? before
      if (!control.checkValidity() || control.value === '') control.value = before
      control.onchange = () => {
        if (control === limit) isLimitChosen = true
        const chosen = new URLSearchParams(controls.map(({ id, value }) => [id, value]))
        history.replaceState(null, '', `#${chosen}`)
      }
    }
    isLimitChosen = given.has('limit')
  }
}

function fitOf(): Fit {
  return byId('fit', HTMLSelectElement).value as Fit
}

/** Files dropped anywhere on the page. */
function acceptDrops(take: (file: File) => void): void {
  const mark = (isDragged: boolean) => document.body.classList.toggle('dragged', isDragged)
  addEventListener('dragover', (event) => {
    event.preventDefault()
    mark(true)
  })
  addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false))
  addEventListener('drop', (event) => {
    event.preventDefault()
    mark(false)
    for (const file of event.dataTransfer?.files ?? []) take(file)
  })
}

/** The changed picture as a file: its bytes are those that were checked. */
function savePicture(name: string): void {
  byId('changed', HTMLCanvasElement).toBlob((blob) => {
    if (blob === null) return
    const link = document.createElement('a')
    link.href = URL.createObjectURL(blob)
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  })
}

/** What black and white become, and what is done to that. */
function preprocessingText(said: PreprocessingOption): string {
  if (Object.keys(said).length === 0) return '0 to 1, or bytes if it takes those'
  const { range = [0, 1], mean, std, channelOrder } = said
  const listed = (value: number | readonly number[]): string => [value].flat().join(' ')
  return [
    `${range[0]} to ${range[1]}`,
    ...(mean === undefined ? [] : [`minus ${listed(mean)}`]),
    ...(std === undefined ? [] : [`divided by ${listed(std)}`]),
    ...(channelOrder === undefined ? [] : [channelOrder]),
  ].join(', ')
}
