/** At which edge of the window the panel stands. */
export type Dock = 'bottom' | 'right'

/** The views of the panel, in the order of their tabs. */
export const TABS = ['Timeline', 'Log', 'Snapshots', 'Replay'] as const

/** One of the views. */
export type Tab = (typeof TABS)[number]

/** How the panel stands; kept while it is closed, and over a reload. */
export interface PanelLayout {
  readonly dock: Dock
  readonly tab: Tab
  /** Its height at the bottom, its width at the right, in px. */
  readonly size: Readonly<Record<Dock, number>>
}

/** In the `localStorage` of the page. */
const KEY = 'turnloop-devtools'

/** How the panel stood when it was last changed in this browser, or else as it stands at first. */
export function startLayout(dock: Dock): PanelLayout {
  // A narrow one has lists and details below each other.
  const bottom = window.innerWidth < 640 ? Math.round(window.innerHeight * 0.6) : 340
  const { dock: keptDock, tab, size } = read()
  return {
    dock: keptDock === 'bottom' || keptDock === 'right' ? keptDock : dock,
    tab: TABS.find((one) => one === tab) ?? 'Timeline',
    size: { bottom: px(size, 'bottom') ?? bottom, right: px(size, 'right') ?? 520 },
  }
}

/** Keep it for the next time. A browser that refuses storage, or has no room, forgets it. */
export function keepLayout(layout: PanelLayout): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(layout))
  } catch {}
}

/** What was kept; it may be from another version. */
function read(): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(localStorage.getItem(KEY) ?? '{}') }
  } catch {
    return {}
  }
}

function px(size: unknown, dock: Dock): number | undefined {
  const kept: unknown = typeof size === 'object' && size !== null ? Reflect.get(size, dock) : undefined
  return typeof kept === 'number' && kept >= 100 && kept <= 10_000 ? kept : undefined
}
