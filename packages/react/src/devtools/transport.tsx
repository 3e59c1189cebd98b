import type { ReactNode } from 'react'
import { useSelected } from '../use-selected.ts'
import { entryWords } from './entry-words.ts'
import { Icon } from './icon.tsx'
import type { Player } from './player.ts'

const SPEEDS = [0.5, 1, 2, 4, 16]

/** Plays and steps a recording, and leads back from it. */
export function Transport({ player, onLeave }: { player: Player; onLeave(): void }): ReactNode {
  const { position, isPlaying, speed } = useSelected(player, ({ position, isPlaying, speed }) => ({
    position,
    isPlaying,
    speed,
  }))
  const { length } = player.recording
  const button = (
    label: string,
    icon: Parameters<typeof Icon>[0]['name'],
    run: () => void,
    isOff = false,
  ): ReactNode => (
    <button type="button" aria-label={label} disabled={isOff} onClick={run}>
      <Icon name={icon} />
    </button>
  )
  return (
    <section className="bar transport" aria-label="Recording">
      <span className="tag">recording</span>
      {button('To the start', 'first', () => player.seek(0), position === 0)}
      {button('Step back', 'back', () => player.seek(position - 1), position === 0)}
      {isPlaying
        ? button('Pause', 'pause', () => player.pause())
        : button('Play', 'play', () => player.play(), length === 0)}
      {button('Step forward', 'forward', () => player.seek(position + 1), position === length)}
      {button('To the end', 'last', () => player.seek(length), position === length)}
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={positionWords(player, position)}
        min={0}
        max={length}
        value={position}
        onChange={({ target }) => player.seek(target.valueAsNumber)}
      />
      <select aria-label="Speed" value={speed} onChange={({ target }) => player.setSpeed(Number(target.value))}>
        {SPEEDS.map((times) => (
          <option key={times} value={times}>
            {times} ×
          </option>
        ))}
      </select>
      <span className="quiet words">{positionWords(player, position)}</span>
      <button type="button" onClick={onLeave}>
        Leave the recording
      </button>
    </section>
  )
}

function positionWords({ recording }: Player, position: number): string {
  const entry = recording.file.entries[position - 1]
  const at = `entry ${position} of ${recording.length}`
  return entry === undefined ? at : `${at}: ${entry.type} ${entryWords(entry)}`
}
