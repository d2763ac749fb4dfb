import type { ItemList, ItemRow, WorkDetail } from '../api.ts'
import { Badge, Section } from './elements.tsx'
import { imageHref } from './route.ts'
import { get, pictureUrl } from './server.ts'
import { useFetched } from './store.ts'
import { afterText, imageName, itemStatus, wholeText } from './text.ts'

/** Images that are shown side by side. */
const mostImages = 12

/** The same images as each attack changed them, and which fared differently. */
export function CompareImages({ details }: { readonly details: readonly WorkDetail[] }) {
  const key = details.map(({ row }) => `${row.id} ${row.state} ${row.items?.done}`).join()
  const { value } = useFetched(`images ${key}`, () =>
    Promise.all(details.map(({ row }) => get<ItemList>(`works/${row.id}/items`))),
  )
  if (value === undefined) return null
  const all = value.map(({ items }) => new Map(items.map((item) => [item.index, item])))
  const shared = [...(all[0]?.values() ?? [])].filter((item) => all.every((own) => isSame(own.get(item.index), item)))
  const changed = shared.filter(({ index, status }) => all.some((own) => own.get(index)?.status !== status))
  const pictured = [...changed, ...shared.filter((item) => !changed.includes(item))]
    .filter(({ pictures }) => pictures.length > 0)
    .slice(0, mostImages)
  if (shared.length === 0) return null
  return (
    <Section title="The same images">
      <p>
        {wholeText(changed.length)} of {wholeText(shared.length)} images fared differently
        {changed.length > 0 && `: ${changed.slice(0, 8).map(imageName).join(', ')}${changed.length > 8 ? ', …' : ''}`}.
      </p>
      {pictured.map((item) => (
        <div class="same" key={item.index}>
          <h3>
            {imageName(item)}: {item.before ?? '–'}
          </h3>
          <ul class="row">
            {details.map(({ row }, i) => {
              const own = all[i]?.get(item.index)
              return own === undefined ? null : <Fared key={row.id} id={row.id} name={row.name} item={own} />
            })}
          </ul>
        </div>
      ))}
    </Section>
  )
}

function isSame(one: ItemRow | undefined, other: ItemRow): boolean {
  return one !== undefined && one.title === other.title && one.label === other.label
}

function Fared({ id, name, item }: { readonly id: string; readonly name: string; readonly item: ItemRow }) {
  const { word, look } = itemStatus(item)
  const picture = item.pictures.includes('adversarial') ? 'adversarial' : item.pictures[0]
  return (
    <li>
      <a class="card" href={imageHref(id, item.index)}>
        {picture !== undefined && (
          <img class="squares" src={pictureUrl(id, item.index, picture)} alt="" loading="lazy" width="96" height="96" />
        )}
        <span class="card-text">{name}</span>
        <span class="card-head">
          <Badge word={word} look={look} />
        </span>
        <span class="card-text">
          {item.status === 'fooled' ? `→ ${afterText(item)}, ` : ''}
          {wholeText(item.firstQueries ?? item.queries)} queries
        </span>
      </a>
    </li>
  )
}
