import { type ReactElement, useEffect, useState } from 'react'
import { Button } from '../app/button.tsx'
import { formatBytes } from '../app/format.ts'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { useTurn } from '../app/use-turn.ts'
import styles from './section.module.css'
import type { ValueApart } from './values-apart.ts'

/** What an entry names and the log does not hold: how large it is, and a way to look at it. */
export function ValuesApartList({ values }: { values: readonly ValueApart[] }): ReactElement | null {
  if (values.length === 0) return null
  return (
    <ul className={styles.apart} aria-label="Stored apart">
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry never changes
        <ApartItem key={index} value={value} />
      ))}
    </ul>
  )
}

type Loaded = { readonly text: string } | { readonly image: Blob } | 'gone'

function ApartItem({ value }: { value: ValueApart }): ReactElement {
  const { hash, byteLength, label, mediaType } = value
  const readBlob = useTurn((turn) => turn.readBlob)
  const [loaded, setLoaded] = useState<Loaded>()
  const load = async (): Promise<void> => {
    const bytes = await readBlob(hash).catch(() => undefined)
    setLoaded(bytes === undefined ? 'gone' : show(bytes, mediaType))
  }
  return (
    <li>
      <p className={styles.apartLine}>
        <span className={styles.apartName}>{label}</span>
        <span className={styles.apartSize}>stored apart, {formatBytes(byteLength)}</span>
        {loaded === undefined && (
          <Button look="quiet" size="small" aria-label={`Load ${label}, ${formatBytes(byteLength)}`} onClick={load}>
            Load
          </Button>
        )}
      </p>
      {loaded !== undefined && <Shown label={label} loaded={loaded} />}
    </li>
  )
}

function Shown({ label, loaded }: { label: string; loaded: Loaded }): ReactElement {
  if (loaded === 'gone') return <p className={styles.apartSize}>No longer stored in this browser.</p>
  if ('image' in loaded) return <ApartImage label={label} image={loaded.image} />
  return (
    <ScrollRegion name={`Stored apart: ${label}`} className={styles.json}>
      {loaded.text}
    </ScrollRegion>
  )
}

/** Its address is made when it is drawn: nobody would take back the one of an image that comes when the item has gone. */
function ApartImage({ label, image }: { label: string; image: Blob }): ReactElement {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(image)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [image])
  return <img className={styles.apartImage} src={url} alt={label} />
}

/** More would only make the page slow. */
const SHOWN_CHARACTERS = 100_000

function show(bytes: Uint8Array, mediaType = 'text/plain'): Loaded {
  if (mediaType.startsWith('image/'))
    // A copy is what `Blob` takes for certain: the store's own may lie in shared memory.
    return { image: new Blob([new Uint8Array(bytes)], { type: mediaType }) }
  if (!/^text\/|json/.test(mediaType)) return { text: `${formatBytes(bytes.length)} of ${mediaType}` }
  const text = new TextDecoder().decode(bytes)
  return { text: text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text }
}
