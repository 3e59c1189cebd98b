import { Dialog } from '@base-ui/react/dialog'
import { Tabs } from '@base-ui/react/tabs'
import X from 'lucide-react/icons/x'
import { type ReactElement, useRef } from 'react'
import dialog from '../app/dialog.module.css'
import { IconButton } from '../app/icon-button.tsx'
import { useObservable } from '../app/observable.ts'
import { Appearance } from './appearance.tsx'
import { ChecksForm } from './checks-form.tsx'
import { ModelSettingsForm } from './model-settings-form.tsx'
import { openSection, type SettingsSection } from './open-settings.ts'
import styles from './settings-dialog.module.css'
import { StorageSettings } from './storage-settings.tsx'
import { ToolsForm } from './tools-form.tsx'

const SECTIONS: readonly { section: SettingsSection; label: string; Panel: () => ReactElement }[] = [
  { section: 'model', label: 'Model', Panel: ModelSettingsForm },
  { section: 'tools', label: 'Tools', Panel: ToolsForm },
  { section: 'checks', label: 'Checks and hooks', Panel: ChecksForm },
  { section: 'appearance', label: 'Appearance', Panel: Appearance },
  { section: 'storage', label: 'Storage', Panel: StorageSettings },
]

/** The settings: which model answers, which tools it has, what checks and watches it, how the page looks, what it has stored. Every change holds at once. */
export function SettingsDialog(): ReactElement {
  const section = useObservable(openSection)
  const tabs = useRef<HTMLDivElement>(null)
  // Not the button that closes it: Escape would only close that one's tooltip.
  const selectedTab = (): HTMLElement | null =>
    tabs.current?.querySelector<HTMLElement>('[aria-selected="true"]') ?? null
  return (
    <Dialog.Root open={section !== undefined} onOpenChange={(isOpen) => !isOpen && openSection.set(undefined)}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={styles.popup} initialFocus={selectedTab}>
          <header className={styles.header}>
            <Dialog.Title className={styles.title}>Settings</Dialog.Title>
            <Dialog.Close render={<IconButton label="Close settings" keyHint="Esc" />}>
              <X size={17} aria-hidden="true" />
            </Dialog.Close>
          </header>
          {/* The section stays for the moment in which the dialog fades. */}
          <Tabs.Root
            className={styles.body}
            value={section ?? null}
            onValueChange={(next: SettingsSection) => openSection.set(next)}
          >
            <Tabs.List className={styles.tabs} activateOnFocus ref={tabs}>
              {SECTIONS.map(({ section: name, label }) => (
                <Tabs.Tab key={name} value={name} className={styles.tab}>
                  {label}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {SECTIONS.map(({ section: name, Panel }) => (
              <Tabs.Panel key={name} value={name} className={styles.panel}>
                <Panel />
              </Tabs.Panel>
            ))}
          </Tabs.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
