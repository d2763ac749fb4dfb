import { countText } from '../src/app/report/number-text.ts'
import { messageOf } from '../src/optimizer/core/errors.ts'
import { className, classNumber, parseClassNames } from '../src/robustness/images/class-names.ts'
import type { Samples } from '../src/robustness/images/pixels.ts'
import type { AttackFrame, AttackTask } from './attack-image.ts'
import {
  attackView,
  conclusion,
  digitButtons,
  digitPixels,
  digitShape,
  markDigit,
  type Subject,
} from './attack-view.ts'
import { byId, copied } from './dom.ts'
import { decodePicture, modelForm, pixelsFor, triedButtons } from './model-form.ts'
import type { ModelAnswer, ModelFacts, ModelOptions, ModelOrder, Tried } from './model-worker.ts'
import { asCommand, initial, modelOptions } from './state.ts'

/** A model in a worker of its own. */
export interface ModelSession {
  readonly facts: Promise<ModelFacts>
  scores(pixels: Float32Array): Promise<readonly number[]>
  /** What the model says to a picture, by what it is fed with. */
  tryUsual(pixels: Float32Array): Promise<readonly Tried[]>
  /** Ends with the last picture. */
  attack(task: AttackTask, show: (frame: AttackFrame) => void): Promise<AttackFrame>
  /** Ends the worker, whatever it is doing; what it was asked for never comes. */
  stop(): void
}

/**
 * Opens a model in a worker. The worker begins as a Blob, so that the policy of this page holds in it, too: it can load
 * from the host of the page, and nothing can be sent elsewhere. A Blob knows no relative addresses: `script` is absolute.
 */
export function openModel(script: string, file: File, options: ModelOptions): ModelSession {
  const text = `import ${JSON.stringify(script)}`
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  const worker = new Worker(address, { type: 'module' })
  let settle: (answer: ModelAnswer) => void = () => undefined
  worker.onmessage = ({ data }: MessageEvent<ModelAnswer>) => settle(data)
  worker.onerror = (event) => {
    event.preventDefault()
    const why = event.message ? `: ${event.message}` : `: ${script} must be there, beside this page`
    settle({ kind: 'error', message: `the runtime cannot be loaded${why}` })
  }

  let last: Promise<unknown> = Promise.resolve()
  /** Asks for one thing after the other; `take` is given every answer and returns what is wanted once it is there. */
  const ask = <T>(order: ModelOrder, take: (answer: ModelAnswer) => T | undefined): Promise<T> => {
    const answered = last.then(
      () =>
        new Promise<T>((resolve, reject) => {
          settle = (answer) => {
            const wanted = take(answer)
            if (wanted !== undefined) resolve(wanted)
            if (answer.kind !== 'error') return
            reject(new Error(answer.message.replace('the network given as bytes', file.name)))
          }
          worker.postMessage(order)
        }),
    )
    last = answered.catch(() => undefined)
    return answered
  }

  return {
    facts: ask({ kind: 'open', file, options }, (answer) => (answer.kind === 'opened' ? answer.facts : undefined)),
    scores: (pixels) =>
      ask({ kind: 'scores', pixels }, (answer) => (answer.kind === 'scores' ? answer.scores : undefined)),
    tryUsual: (pixels) =>
      ask({ kind: 'usual', pixels }, (answer) => (answer.kind === 'usual' ? answer.tried : undefined)),
    attack: (task, show) =>
      ask({ kind: 'attack', task }, (answer) => {
        if (answer.kind !== 'attack') return undefined
        show(answer.frame)
        return answer.frame.isLast ? answer.frame : undefined
      }),
    stop() {
      worker.terminate()
      URL.revokeObjectURL(address)
    },
  }
}

/** What a file is, by its name or type. */
export function kindOf({ name, type }: File): 'model' | 'preprocessing' | 'names' | 'picture' {
  if (/\.onnx$/i.test(name)) return 'model'
  if (/\.preprocessing\.json$/i.test(name)) return 'preprocessing'
  if (/\.(txt|csv|json)$/i.test(name)) return 'names'
  if (type.startsWith('image/')) return 'picture'
  const allowed = 'an .onnx file, a picture (PNG, JPEG, WebP), names of classes (.txt, .csv, .json)'
  throw new Error(`${name} is none of what this page takes: ${allowed} or a .preprocessing.json`)
}

/** Takes files that are dropped anywhere on the page, or chosen. */
export function acceptFiles(take: (files: readonly File[]) => void): void {
  const mark = (isDragged: boolean) => document.body.classList.toggle('dragged', isDragged)
  addEventListener('dragover', (event) => {
    event.preventDefault()
    mark(true)
  })
  addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false))
  addEventListener('drop', (event) => {
    event.preventDefault()
    mark(false)
    take([...(event.dataTransfer?.files ?? [])])
  })
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type=file]')) {
    input.onchange = () => take([...(input.files ?? [])])
  }
}

/** Saves what a canvas shows, in its own size. */
export function saveAsPng(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (blob === null) return
    const link = document.createElement('a')
    link.href = URL.createObjectURL(blob)
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  })
}

/** Refuses to attack what the model gets wrong by itself, where the reader has said what is right: a number or a name. */
export function checkTrueClass(
  given: string,
  { label, nameOf }: Pick<Subject, 'label' | 'nameOf'>,
  classes: number,
  names: readonly string[],
): void {
  if (given === '') return
  const number = /^\d+$/.test(given) ? Number(given) : classNumber(given, names)
  if (number >= classes) throw new Error(`the true class must be from 0 to ${classes - 1}, got ${given}`)
  if (number === label) return
  const wrong = `the model takes the picture for ${nameOf(label)}, not for ${nameOf(number)}`
  throw new Error(`${wrong}: it is wrong without an attack; choose another picture, or other pixels`)
}

/** A file as large in memory, beside its copies in the runtime: what a page can have. */
const mostBytes = 1_000_000_000

/** The picture that was chosen: a file, or one of the digits. */
type Picture = { readonly name: string; readonly samples: Samples } | { readonly name: string; readonly digit: number }

/** Whether what was begun is still what the reader wants. */
type IsWanted = () => boolean

startPage()

function startPage(): void {
  const message = byId('modelMessage', HTMLElement)
  const attackMessage = byId('attackMessage', HTMLElement)
  const attackButton = byId('attackModel', HTMLButtonElement)
  const namesText = byId('names', HTMLTextAreaElement)
  const digits = byId('digits', HTMLElement)
  const view = attackView()
  const form = modelForm(() => change(close))
  let file: File | undefined
  let session: ModelSession | undefined
  let opened: ModelSession | undefined
  let picture: Picture | undefined
  let names: readonly string[] = []
  /** The picture as the model sees it. */
  let subject: Subject | undefined
  let classes = 0
  let isAttacking = false
  /** Counts what was begun: what comes of anything earlier is no longer wanted. */
  let begun = 0

  const isServed = location.protocol !== 'file:'
  byId('needsHost', HTMLElement).hidden = isServed
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type=file]')) input.disabled = !isServed
  acceptFiles((files) => isServed && change(...files.map((given) => () => takeFile(given))))
  digits.replaceChildren(...digitButtons((digit) => change(() => chooseDigit(digit))))
  namesText.onchange = () => change(nameClasses)
  byId('fit', HTMLElement).onchange = () => change()
  byId('tryUsual', HTMLButtonElement).onclick = () => begin(tryUsual, message)
  attackButton.onclick = () => {
    if (!isAttacking) return void begin(attack, attackMessage)
    halt()
    attackMessage.textContent = 'Stopped.'
  }
  byId('copyCommand', HTMLButtonElement).onclick = copyCommand
  byId('save', HTMLButtonElement).onclick = () => {
    const name = picture?.name.replace(/\.\w+$/, '')
    saveAsPng(byId('changed', HTMLCanvasElement), `${name}-changed.png`)
  }

  /** Changes what is chosen, as far as it can be done, and shows what the model makes of it. */
  async function change(...acts: readonly (() => unknown)[]): Promise<void> {
    halt()
    const problems: string[] = []
    for (const act of acts) {
      try {
        await act()
      } catch (error) {
        problems.push(sentence(error))
      }
    }
    // Where nothing has changed, what is shown stays.
    if (problems.length > 0 && problems.length === acts.length) message.textContent = problems.join(' ')
    else await begin((isWanted) => show(isWanted, problems), message)
  }

  /** Begins something in place of what is under way, and says what goes wrong. */
  async function begin(act: (isWanted: IsWanted) => unknown, said: HTMLElement): Promise<void> {
    halt()
    attackMessage.textContent = ''
    const mine = ++begun
    const isWanted = (): boolean => mine === begun
    try {
      await act(isWanted)
    } catch (error) {
      if (isWanted()) said.textContent = sentence(error)
    }
  }

  async function takeFile(given: File): Promise<void> {
    const kind = kindOf(given)
    if (kind === 'model') takeModel(given)
    else if (kind === 'preprocessing') form.feedWith(await given.text())
    else if (kind === 'picture') {
      picture = { name: given.name, samples: await decodePicture(given) }
      markDigit(digits, undefined)
    } else {
      namesText.value = await given.text()
      nameClasses()
    }
  }

  function takeModel(given: File): void {
    if (given.size > mostBytes) {
      const most = `at most ${countText(mostBytes)} can be opened in a browser`
      throw new Error(`${given.name} has ${countText(given.size)} bytes: ${most}; zeroth attack opens larger ones`)
    }
    file = given
    close()
  }

  function chooseDigit(digit: number): void {
    picture = { name: `digit ${digit + 1}`, digit }
    markDigit(digits, digit)
  }

  function nameClasses(): void {
    const text = namesText.value.trim()
    names = text === '' ? [] : parseClassNames(text, 'names of the classes')
  }

  function close(): void {
    session?.stop()
    session = undefined
  }

  /** The open model; begun anew where it was closed. */
  async function ready(): Promise<ModelFacts> {
    if (file === undefined) throw new Error('choose a model first, an .onnx file')
    session ??= openModel(new URL('model-worker.js', location.href).href, file, form.options(names.length))
    const mine = session
    try {
      const facts = await mine.facts
      opened = mine
      return facts
    } catch (error) {
      close()
      // What it asks for is said there.
      if (/preprocessing|option/.test(messageOf(error))) byId('more', HTMLDetailsElement).open = true
      throw error
    }
  }

  /** Opens the model and shows it the picture, as far as there are any. */
  async function show(isWanted: IsWanted, problems: readonly string[]): Promise<void> {
    subject = undefined
    message.textContent = problems.join(' ')
    byId('tried', HTMLElement).replaceChildren()
    for (const id of ['attackModel', 'tryUsual', 'save', 'copyCommand']) byId(id, HTMLButtonElement).disabled = true
    if (picture !== undefined) byId('aboutPicture', HTMLElement).textContent = `${picture.name}.`
    if (file === undefined) return
    if (session === undefined || session !== opened) {
      message.textContent = `Loading ${file.name} …`
      byId('aboutModel', HTMLElement).textContent = `${file.name}.`
    }
    const facts = await ready()
    if (!isWanted()) return
    showFacts(facts)
    if (picture === undefined) {
      message.textContent = [...problems, 'The model is open. Now choose a picture.'].join(' ')
      return
    }
    const { shape, warnings } = facts
    classes = facts.classes
    const pixels = 'digit' in picture ? digitPixels(picture.digit) : pixelsFor(picture.samples, shape, form.fit())
    const scores = (await session?.scores(pixels)) ?? []
    if (!isWanted()) return
    if (!scores.every(Number.isFinite)) throw new Error('the network gives scores that are no numbers: check its input')
    const isNamed = names.length === classes
    const nameOf = (index: number): string => (isNamed && className(index, names)) || `class ${index}`
    subject = { shape, pixels, label: scores.indexOf(Math.max(...scores)), nameOf, called: nameOf }
    view.showOriginal(subject)
    view.showScores(scores, subject)
    for (const id of ['attackModel', 'tryUsual']) byId(id, HTMLButtonElement).disabled = false
    const misfit = `${names.length} names do not fit ${classes} classes: they are not used`
    const said = [...(names.length > 0 && !isNamed ? [misfit] : []), ...warnings].map((each) => `${each}.`)
    message.textContent = [...problems, ...said].join(' ')
  }

  /** What is known of the model; where it takes digits there are some. */
  function showFacts({ shape, classes, runtime }: ModelFacts): void {
    const size = `images of ${shape.channels} x ${shape.height} x ${shape.width}`
    byId('aboutModel', HTMLElement).textContent = `${file?.name}: ${size}, ${countText(classes)} classes; ${runtime}.`
    byId('copyCommand', HTMLButtonElement).disabled = false
    form.suggestLimit(shape)
    const isForDigits = JSON.stringify(shape) === JSON.stringify(digitShape)
    byId('digitsPart', HTMLElement).hidden = !isForDigits
    if (!isForDigits && picture !== undefined && 'digit' in picture) picture = undefined
    if (!isForDigits || picture !== undefined) return
    chooseDigit(initial.digit)
    byId('aboutPicture', HTMLElement).textContent = 'One of the digits below, or drop another here.'
  }

  /** What each of the usual ways to feed a network would make it say. */
  async function tryUsual(isWanted: IsWanted): Promise<void> {
    if (subject === undefined) return
    const { pixels, nameOf } = subject
    await ready()
    const tried = (await session?.tryUsual(pixels)) ?? []
    if (!isWanted()) return
    const buttons = triedButtons(tried, nameOf, (text) => form.feedWith(text))
    byId('tried', HTMLElement).replaceChildren(...buttons)
  }

  async function attack(isWanted: IsWanted): Promise<void> {
    if (subject === undefined) return
    const attacked = subject
    const settings = form.settings()
    checkTrueClass(form.trueClass(), attacked, classes, names)
    isAttacking = true
    attackButton.textContent = 'Stop'
    attackMessage.textContent = 'Attacking …'
    const task = { ...settings, pixels: attacked.pixels, label: attacked.label }
    const showFrame = (frame: AttackFrame): void => {
      if (!isWanted()) return
      view.showFrame(frame, attacked)
      byId('save', HTMLButtonElement).disabled = false
      const asked = `${countText(frame.queries)} of ${countText(settings.queries)} queries`
      byId('progress', HTMLElement).textContent = asked
    }
    try {
      await ready()
      const started = performance.now()
      const last = await session?.attack(task, showFrame)
      if (!isWanted() || last === undefined) return
      const rate = Math.round((1000 * last.queries) / (performance.now() - started))
      attackMessage.textContent = `${conclusion(last)} ${countText(rate)} queries a second.`
    } finally {
      if (isWanted()) endAttack()
    }
  }

  async function copyCommand(): Promise<void> {
    if (file === undefined) return
    const said = byId('commandCopied', HTMLElement)
    try {
      await copied(asCommand(form.settings(), modelOptions(file.name, form.described())), said)
    } catch (error) {
      said.textContent = sentence(error)
    }
  }

  /** Ends an attack under way, and the worker with it: a model in the middle of a computation hears nothing. */
  function halt(): void {
    if (!isAttacking) return
    begun++
    close()
    endAttack()
  }

  function endAttack(): void {
    isAttacking = false
    attackButton.textContent = 'Attack'
    byId('progress', HTMLElement).textContent = ''
  }
}

function sentence(error: unknown): string {
  return messageOf(error).replace(/\.?$/, '.')
}
