import { Menu } from '@base-ui/react/menu'
import type { CompactionReport } from '@turnloop/core'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { type ReactElement, useEffect, useState } from 'react'
import { plural } from '../app/format.ts'
import { IconButton } from '../app/icon-button.tsx'
import menu from '../app/menu.module.css'
import { useTurn } from '../app/use-turn.ts'
import { saveSession } from '../sessions/export-sessions.ts'
import { CommentDialog } from './comment-dialog.tsx'
import { useCompaction } from './use-compaction.ts'

/** What can be done with the conversation as a whole. */
export function ConversationMenu(): ReactElement {
  const [isCommenting, setCommenting] = useState(false)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger render={<IconButton label="Conversation menu" />}>
          <Ellipsis size={17} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className={menu.positioner} sideOffset={4} align="end">
            <Menu.Popup className={menu.popup}>
              <CompactItem />
              <Menu.Item className={menu.item} onClick={() => setCommenting(true)}>
                Add a comment…
                <span className={menu.detail}>For people: no model sees it</span>
              </Menu.Item>
              <Menu.Separator className={menu.separator} />
              <ExportItems />
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <CommentDialog isOpen={isCommenting} onDone={() => setCommenting(false)} />
    </>
  )
}

function ExportItems(): ReactElement {
  // Also what is not saved yet: so it is the session itself that is asked.
  const exportSession = useTurn((turn) => turn.export)
  const isEmpty = useTurn((turn) => turn.getEntries().length === 0)
  return (
    <>
      <Menu.Item className={menu.item} disabled={isEmpty} onClick={() => saveSession(exportSession())}>
        Export session
        <span className={menu.detail}>A file to keep, and to import again</span>
      </Menu.Item>
      <Menu.Item
        className={menu.item}
        disabled={isEmpty}
        onClick={() => saveSession(exportSession({ redact: true }), 'redacted')}
      >
        Export without its words
        <span className={menu.detail}>Every text becomes x, to show what went wrong</span>
      </Menu.Item>
    </>
  )
}

/** Says what it would do before it is chosen: asked when the menu opens, and again when a turn ends meanwhile. */
function CompactItem(): ReactElement {
  const { isBusy, preview, compact } = useCompaction()
  const [report, setReport] = useState<CompactionReport>()
  useEffect(() => {
    if (isBusy) return
    let isShown = true
    preview().then(
      (found) => {
        if (isShown) setReport(found)
      },
      () => {},
    )
    return () => {
      isShown = false
    }
  }, [isBusy, preview])
  return (
    <Menu.Item className={menu.item} disabled={isBusy || (report?.hidden ?? 0) === 0} onClick={compact}>
      Compact conversation
      <span className={menu.detail}>{previewWords(report, isBusy)}</span>
    </Menu.Item>
  )
}

/** What a compaction would do, in words. */
export function previewWords(report: CompactionReport | undefined, isBusy: boolean): string {
  if (isBusy) return 'Not while something runs or waits'
  if (report === undefined) return 'Looking…'
  const { hidden, kept } = report
  if (hidden === 0) return 'Nothing to compact yet'
  return `${plural(hidden, 'message')} would be summarised, ${kept} stay`
}
