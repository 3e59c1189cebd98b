import type { ReactNode } from 'react'

const PATHS = {
  // Two arrows that follow each other round.
  loop: 'M4.5 9.5a5.5 5.5 0 0 1 9.4-2.6L15.5 8.5M15.5 4.5v4h-4M15.5 10.5a5.5 5.5 0 0 1-9.4 2.6L4.5 11.5M4.5 15.5v-4h4',
  close: 'M5 5l10 10M15 5L5 15',
  bottom: 'M3.5 4.5h13v11h-13zM3.5 11.5h13',
  right: 'M3.5 4.5h13v11h-13zM12 4.5v11',
  back: 'M12 5l-5 5 5 5',
  forward: 'M8 5l5 5-5 5',
  first: 'M14 5l-5 5 5 5M6 5v10',
  last: 'M6 5l5 5-5 5M14 5v10',
  play: 'M7 5l8 5-8 5z',
  pause: 'M7 5v10M13 5v10',
} as const

/** One of the panel's icons. What it means stands in the name of its button. */
export function Icon({ name }: { name: keyof typeof PATHS }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
