import { useSessions } from '@turnloop/react'
import { focusComposer, offerComposer } from '../app/composer-focus.ts'
import { useObservable } from '../app/observable.ts'
import { openSheet, togglePane } from '../app/panes.ts'
import { usePlayground } from '../app/playground-context.ts'
import { preferences, setPreferences } from '../app/preferences.ts'
import { goToNewSession, goToSession } from '../app/route.ts'
import { useIsNarrow } from '../app/use-is-narrow.ts'
import { isStoppable, useStop } from '../app/use-stop.ts'
import { useTurn } from '../app/use-turn.ts'
import { useCompaction } from '../chat/use-compaction.ts'
import { toggleDeveloperTools } from '../devtools/open-developer-tools.ts'
import { hiddenSessions } from '../sessions/deleted-sessions.ts'
import { saveSession } from '../sessions/export-sessions.ts'
import { titleOfSession } from '../sessions/group-sessions.ts'
import { openSettings, type SettingsSection } from '../settings/open-settings.ts'
import type { Command } from './find-commands.ts'

/** What can be done now, in the order in which it is offered. */
export function useCommands(): Command[] {
  return [...useTurnCommands(), ...usePageCommands(), ...useSessionCommands()]
}

function useTurnCommands(): Command[] {
  const { canStop, isEmpty, exportSession } = useTurn((turn) => ({
    canStop: isStoppable(turn),
    isEmpty: turn.messages.length === 0,
    exportSession: turn.export,
  }))
  const stop = useStop()
  const { isBusy, compact } = useCompaction()
  const offered: (Command | false)[] = [
    canStop && { ...command('stop', 'Stop', 'cancel end'), hint: 'Esc', run: stop },
    { ...command('new', 'New session', 'start conversation'), run: startNew },
    { ...command('ask', 'Write a question', 'focus composer ask'), hint: '/', run: focusComposer },
    !isEmpty && {
      ...command('export', 'Export session', 'save download file'),
      run: () => void saveSession(exportSession()),
    },
    !isEmpty && !isBusy && { ...command('compact', 'Compact conversation', 'summarise shorten'), run: compact },
  ]
  return offered.filter((one) => one !== false)
}

function command(id: string, label: string, keywords: string): Pick<Command, 'id' | 'group' | 'label' | 'keywords'> {
  return { id, group: 'Commands', label, keywords }
}

function startNew(): void {
  goToNewSession()
  openSheet.set(undefined)
  offerComposer()
}

function usePageCommands(): Command[] {
  const isNarrow = useIsNarrow()
  const { theme } = useObservable(preferences)
  return [
    {
      ...command('sessions', 'Sessions pane', 'toggle show hide left'),
      hint: '[',
      run: () => togglePane('sessions', isNarrow),
    },
    {
      ...command('inspector', 'Inspector', 'toggle show hide right log timeline'),
      hint: ']',
      run: () => togglePane('inspector', isNarrow),
    },
    {
      ...command('devtools', 'Developer tools', 'devtools debug timeline log snapshots replay'),
      run: toggleDeveloperTools,
    },
    ...SETTINGS.map(
      ({ section, label, keywords }): Command => ({
        ...command(`settings-${section}`, `Settings: ${label}`, keywords),
        run: () => openSettings(section),
      }),
    ),
    ...THEMES.filter((one) => one.theme !== theme).map(
      (one): Command => ({
        ...command(`theme-${one.theme}`, `Colours: ${one.label}`, 'theme appearance mode'),
        run: () => setPreferences({ theme: one.theme }),
      }),
    ),
  ]
}

const SETTINGS: readonly { section: SettingsSection; label: string; keywords: string }[] = [
  { section: 'model', label: 'Model', keywords: 'provider key' },
  { section: 'tools', label: 'Tools', keywords: 'mcp servers permissions webmcp' },
  { section: 'checks', label: 'Checks and hooks', keywords: 'guardrails' },
  { section: 'appearance', label: 'Appearance', keywords: 'theme colours' },
  { section: 'storage', label: 'Storage', keywords: 'import export delete all quota' },
]

const THEMES = [
  { theme: 'light', label: 'light' },
  { theme: 'dark', label: 'dark' },
  { theme: 'system', label: 'as the system' },
] as const

function useSessionCommands(): Command[] {
  const { store } = usePlayground()
  const { sessions } = useSessions(store)
  const hidden = useObservable(hiddenSessions)
  return sessions
    .filter(({ id }) => !hidden.has(id))
    .map((session) => ({
      id: session.id,
      group: 'Sessions',
      label: titleOfSession(session),
      run: () => goToSession(session.id),
    }))
}
