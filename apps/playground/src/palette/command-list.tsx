import { type ReactElement, useEffect, useRef } from 'react'
import styles from './command-palette.module.css'
import type { Command } from './find-commands.ts'

interface CommandListProps {
  id: string
  commands: readonly Command[]
  chosen: Command | undefined
  onPoint(command: Command): void
  onRun(command: Command): void
}

/** What was found, by group. The focus stays in the field above; the chosen one is kept in view. */
export function CommandList({ id, commands, chosen, onPoint, onRun }: CommandListProps): ReactElement {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen?.id])
  const groups = (['Commands', 'Sessions'] as const).map((name) => ({
    name,
    own: commands.filter(({ group }) => group === name),
  }))
  return (
    <div ref={list} id={id} className={styles.list} role="listbox" aria-label="Commands and sessions">
      {groups.map(
        ({ name, own }) =>
          own.length > 0 && (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
            <div key={name} role="group" aria-label={name}>
              <p className={styles.group} aria-hidden="true">
                {name}
              </p>
              {own.map((command) => (
                <Option
                  key={command.id}
                  id={`${id}-${command.id}`}
                  command={command}
                  isChosen={command.id === chosen?.id}
                  onPoint={() => onPoint(command)}
                  onRun={() => onRun(command)}
                />
              ))}
            </div>
          ),
      )}
      {commands.length === 0 && (
        <p className={styles.none} role="status">
          Nothing has these words.
        </p>
      )}
    </div>
  )
}

function Option(props: {
  id: string
  command: Command
  isChosen: boolean
  onPoint(): void
  onRun(): void
}): ReactElement {
  const { id, command, isChosen, onPoint, onRun } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the field, which keeps the focus
    // biome-ignore lint/a11y/useFocusableInteractive: the field names it as its active descendant
    <div
      id={id}
      className={styles.option}
      role="option"
      aria-selected={isChosen}
      onPointerMove={isChosen ? undefined : onPoint}
      onClick={onRun}
    >
      <span className={styles.label}>{command.label}</span>
      {command.hint !== undefined && <kbd className={styles.key}>{command.hint}</kbd>}
    </div>
  )
}
