import { messageOf } from '../src/core/errors.ts'
import type { ImageShape } from '../src/core/types.ts'
import type { AttackSettings } from './as-code.ts'
import { byId, fill } from './dom.ts'
import type { ModelOptions } from './model-orders.ts'
import type { Fit } from './read-picture.ts'
import { attacks } from './state.ts'
import { preprocessingText, usual } from './usual-preprocessing.ts'

/** The controls of the model page: what is said about the network, and how it is attacked. */
export function modelForm(reopen: () => void) {
  const preprocessing = byId('preprocessing', HTMLTextAreaElement)
  const choice = byId('usual', HTMLSelectElement)
  const about = [preprocessing, byId('input', HTMLInputElement), byId('output', HTMLInputElement)] as const
  const limit = byId('limit', HTMLInputElement)
  let isLimitChosen = false
  let reopenedWith = written()

  fill(
    'attack',
    attacks.map((name) => [name, name] as const),
  )
  fill('usual', [
    ...usual.map((each) => [JSON.stringify(each), preprocessingText(each)] as const),
    ['', 'as written below'],
  ])
  restoreSettings()
  for (const form of document.forms) form.onsubmit = (event) => event.preventDefault()
  for (const control of about) control.onchange = show
  choice.onchange = () => choice.value !== '' && feedWith(choice.value)

  /** What is written about the network. */
  function written(): string {
    return about.map(({ value }) => value.trim()).join('\n')
  }

  /** Describes the network by this text. */
  function feedWith(text: string): void {
    preprocessing.value = text
    show()
  }

  function show(): void {
    choice.value = usual.map((each) => JSON.stringify(each)).find((each) => each === preprocessing.value.trim()) ?? ''
    if (written() === reopenedWith) return
    reopenedWith = written()
    reopen()
  }

  /** Where so many classes have names. */
  function options(named: number): ModelOptions {
    const [, input, output] = about.map(({ value }) => value.trim() || undefined)
    try {
      return { preprocessing: JSON.parse(described()), input, output, named }
    } catch (error) {
      throw new Error(`preprocessing is not JSON: ${messageOf(error)}`)
    }
  }

  function described(): string {
    return preprocessing.value.trim() || '{}'
  }

  /** A limit that is usual for such images, unless the reader has chosen one. */
  function suggestLimit({ channels }: ImageShape): void {
    if (!isLimitChosen) limit.value = channels === 1 ? '0.1' : '0.03'
  }

  function settings(): AttackSettings {
    const number = (id: string): number => {
      const input = byId(id, HTMLInputElement)
      if (input.checkValidity()) return input.valueAsNumber
      const named = `"${input.labels?.[0]?.textContent?.trim()}"`
      throw new Error(`${named} must be from ${input.min} to ${input.max}, got ${input.value || 'nothing'}`)
    }
    const { value: attack } = byId('attack', HTMLSelectElement)
    return { attack, limit: number('limit'), queries: number('queries'), seed: number('seed') }
  }

  /** The settings of an attack are in the address, as on the other page. */
  function restoreSettings(): void {
    const given = new URLSearchParams(location.hash.slice(1))
    const inputs = ['limit', 'queries', 'seed'].map((id) => byId(id, HTMLInputElement))
    const controls = [byId('attack', HTMLSelectElement), ...inputs]
    for (const control of controls) {
      const { value: before } = control
      control.value = given.get(control.id) ?? before
      if (!control.checkValidity() || control.value === '') control.value = before
      control.onchange = () => {
        if (control === limit) isLimitChosen = true
        history.replaceState(null, '', `#${new URLSearchParams(controls.map(({ id, value }) => [id, value]))}`)
      }
    }
    isLimitChosen = given.has('limit')
  }

  return {
    options,
    described,
    feedWith,
    settings,
    suggestLimit,
    fit: (): Fit => byId('fit', HTMLSelectElement).value as Fit,
    trueClass: (): string => byId('trueClass', HTMLInputElement).value.trim(),
  }
}
