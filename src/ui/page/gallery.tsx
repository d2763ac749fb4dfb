import { useState } from 'preact/hooks'
import type { ItemList, ItemRow, WorkRow } from '../api.ts'
import { Badge, Section, Select } from './elements.tsx'
import { imageHref, route, setParams } from './route.ts'
import { get, pictureUrl } from './server.ts'
import { useFetched, useMessages } from './store.ts'
import {
  afterText,
  countedText,
  imageName,
  itemStatus,
  lengthText,
  queriesText,
  resultName,
  wholeText,
} from './text.ts'

const statuses = ['fooled', 'robust', 'skipped', 'failed', 'unfinished'] as const

interface Props {
  readonly row: WorkRow
  readonly classes: readonly string[]
  readonly methods: readonly string[]
}

/** The images of an evaluation. Those that get done while it is shown are added at its end: nothing moves that is seen. */
export function Gallery({ row, classes, methods }: Props) {
  const { params } = route.value
  const [status = '', named = '', method = '', sort = ''] = ['status', 'class', 'method', 'sort'].map(
    (name) => params.get(name) ?? '',
  )
  const query = { status, class: named, method, sort }
  const [pages, setPages] = useState<readonly ItemList[]>([])
  const [added, setAdded] = useState<readonly ItemRow[]>([])
  const isOver = row.state !== 'running'
  const { value, error } = useFetched(`items ${row.id} ${isOver} ${JSON.stringify(query)}`, async () => {
    const list = await get<ItemList>(`works/${row.id}/items`, query)
    setPages([])
    setAdded([])
    return list
  })
  const last = pages.at(-1) ?? value
  const known = [...(value?.items ?? []), ...pages.flatMap(({ items }) => items)]
  useMessages((message) => {
    if (message.type !== 'item' || message.id !== row.id || !matches(message.item, query)) return
    setAdded((items) => [...items.filter(({ index }) => index !== message.item.index), message.item])
  })
  const isComplete = last?.next === undefined
  const fresh = added.filter(({ index }) => !known.some((item) => item.index === index))
  const shown = [
    ...known.map((item) => added.find(({ index }) => index === item.index) ?? item),
    ...(isComplete ? fresh : []),
  ]
  const addPage = async (): Promise<void> => {
    const list = await get<ItemList>(`works/${row.id}/items`, { ...query, after: last?.next })
    setPages([...pages, list])
  }
  const total = (value?.total ?? 0) + fresh.length
  return (
    <Section title="Images">
      <search class="filters">
        <Filter label="Result" name="status" value={status} choices={statuses} text={resultName} />
        <Filter label="Class" name="class" value={named} choices={classes} />
        {(methods.length > 1 || method !== '') && (
          <Filter label="Method" name="method" value={method} choices={methods} />
        )}
        <Select
          label="Sort by"
          value={sort}
          options={[
            ['', 'number'],
            ['queries', 'queries to fool'],
            ['distance', 'change'],
          ]}
          onChange={(by) => setParams({ sort: by })}
        />
        <span class="remark">{countedText(total, 'image')}</span>
      </search>
      {error !== undefined && <p class="remark">{error}</p>}
      {value !== undefined && shown.length === 0 && (
        <p class="remark">{row.state === 'running' ? 'No image is done yet.' : 'No image is of that kind.'}</p>
      )}
      <ul class="gallery">
        {shown.map((item) => (
          <ImageCard key={item.index} id={row.id} item={item} />
        ))}
      </ul>
      {!isComplete && (
        <button type="button" onClick={addPage}>
          Show more of {wholeText(total)}
        </button>
      )}
      <p class="remark">
        l₂ and l∞ of an image are those of its saved 8-bit file where there is one. In the picture of a change, gray
        means no change; white and black stand for the largest change, which differs from image to image.
      </p>
    </Section>
  )
}

/** A choice of what is shown: all, or only some. */
function Filter<Choice extends string>({
  label,
  name,
  value,
  choices,
  text = (choice) => choice,
}: {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly text?: (choice: Choice) => string
}) {
  const options = [['', 'all'] as const, ...choices.map((each) => [each, text(each)] as const)]
  return <Select label={label} value={value} options={options} onChange={(chosen) => setParams({ [name]: chosen })} />
}

interface Query {
  readonly status: string
  readonly class: string
  readonly method: string
}

function matches(item: ItemRow, { status, class: named, method }: Query): boolean {
  const { before, label, labelName, predicted, predictedName, methods } = item
  const classes = [before, labelName ?? String(label), predictedName ?? String(predicted)]
  const isOf = (wanted: string, own: readonly (string | undefined)[]): boolean => wanted === '' || own.includes(wanted)
  return isOf(status, [item.status]) && isOf(named, classes) && isOf(method, methods)
}

/** An image: untouched, changed, and the change. */
function ImageCard({ id, item }: { readonly id: string; readonly item: ItemRow }) {
  const { word, look } = itemStatus(item)
  const isFooled = item.status === 'fooled'
  const name = imageName(item)
  return (
    <li>
      <a class="card" href={imageHref(id, item.index)}>
        <Shots id={id} item={item} />
        <span class="card-head">
          <strong>{name}</strong>
          <Badge word={word} look={look} />
        </span>
        <span class="card-text">
          {item.before ?? '–'}
          {isFooled && ` → ${afterText(item)}`}
          {item.reason !== undefined && `: ${item.reason}`}
        </span>
        <span class="card-text">
          {item.firstQueries !== undefined && `${queriesText(item.firstQueries)}, `}
          {item.l2 !== undefined && `l₂ ${lengthText(item.l2)}, l∞ ${lengthText(item.linf)}`}
        </span>
      </a>
    </li>
  )
}

/** The pictures of an image side by side, equally large. */
export function Shots({
  id,
  item,
  isLarge = false,
}: {
  readonly id: string
  readonly item: ItemRow
  readonly isLarge?: boolean
}) {
  if (item.pictures.length === 0)
    return isLarge ? <p class="remark">There are no pictures of it.</p> : <span class="missing">no picture</span>
  const titles = {
    original: `original: ${item.before ?? '–'}`,
    adversarial: `changed: ${afterText(item)}`,
    perturbation: `change: ± ${lengthText(item.linf)}`,
  }
  return (
    <span class={isLarge ? 'shots large' : 'shots'}>
      {item.pictures.map((name) => (
        <span class="shot" key={name}>
          <img
            src={pictureUrl(id, item.index, name)}
            alt={isLarge ? titles[name] : ''}
            loading="lazy"
            width="96"
            height="96"
            onLoad={sharpen}
          />
          {isLarge && <span>{titles[name]}</span>}
        </span>
      ))}
    </span>
  )
}

/** Pixels of small pictures stay squares when they are enlarged. */
function sharpen({ currentTarget }: { readonly currentTarget: HTMLImageElement }): void {
  currentTarget.classList.toggle('squares', currentTarget.naturalWidth < 128)
}
