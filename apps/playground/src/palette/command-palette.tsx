import { Dialog } from '@base-ui/react/dialog'
import { type KeyboardEvent, type ReactElement, useEffect, useId, useState } from 'react'
import { useObservable } from '../app/observable.ts'
import { CommandList } from './command-list.tsx'
import styles from './command-palette.module.css'
import { type Command, findCommands } from './find-commands.ts'
import { isPaletteOpen, openings, togglePalette } from './open-palette.ts'
import { useCommands } from './use-commands.ts'

/** Everything that can be done, and every session, found by its words. Ctrl or ⌘ with K opens it from everywhere. */
export function CommandPalette(): ReactElement {
  usePaletteKey()
  const opening = useObservable(openings)
  return (
    <Dialog.Root open={useObservable(isPaletteOpen)} onOpenChange={(isOpen) => isPaletteOpen.set(isOpen)}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label="Commands">
          <Palette key={opening} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function usePaletteKey(): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isMeant = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!isMeant || event.altKey || event.shiftKey || event.defaultPrevented) return
      event.preventDefault()
      togglePalette()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

function Palette(): ReactElement {
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const found = findCommands(useCommands(), search)
  const listId = useId()
  const chosen = found[Math.min(at, found.length - 1)]
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const next = placeAfter(event.key, Math.min(at, found.length - 1), found.length)
    if (event.key === 'Enter' && chosen !== undefined) run(chosen)
    else if (next !== undefined) setAt(next)
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        className={styles.search}
        role="combobox"
        aria-label="Find a command or a session"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen && `${listId}-${chosen.id}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Find a command or a session"
        value={search}
        onChange={(event) => {
          setSearch(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <CommandList
        id={listId}
        commands={found}
        chosen={chosen}
        onPoint={(command) => setAt(found.indexOf(command))}
        onRun={run}
      />
    </>
  )
}

/** Closed first, so that what runs can take the focus. */
function run(command: Command): void {
  isPaletteOpen.set(false)
  requestAnimationFrame(() => command.run())
}

/** The place that a key leads to, round and round; `undefined` for other keys. */
function placeAfter(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  return undefined
}
