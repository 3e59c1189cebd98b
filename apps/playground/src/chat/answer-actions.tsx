import { Menu } from '@base-ui/react/menu'
import Ellipsis from 'lucide-react/icons/ellipsis'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { type ReactElement, useState } from 'react'
import { IconButton } from '../app/icon-button.tsx'
import menu from '../app/menu.module.css'
import { currentTurn, type TurnRecord } from '../app/turn-records.ts'
import { useTurnRecords } from '../app/use-turn-log.ts'
import styles from './copy-button.module.css'
import { EraseDialog, type Erasure } from './erase-dialog.tsx'
import { eraseAnswerWords, eraseQuestionWords, isErased } from './erased.ts'
import type { TurnBlock } from './turn-blocks.ts'
import { useAskInstead } from './use-ask.ts'
import { useIsUnderWay, useTravel } from './use-travel.ts'

interface AnswerActionsProps {
  block: TurnBlock
  record: TurnRecord
}

/** What can be done from an answer on: have another one, go back to it, branch from it, or erase it. */
export function AnswerActions({ block, record }: AnswerActionsProps): ReactElement {
  const isUnderWay = useIsUnderWay()
  const { again } = useAskInstead()
  const [erasure, setErasure] = useState<Erasure>()
  const { user } = block
  return (
    <>
      {user && user.synthetic === undefined && !isErased(user) && (
        <IconButton label="Answer again" className={styles.button} disabled={isUnderWay} onClick={() => again(user.id)}>
          <RefreshCw size={14} aria-hidden="true" />
        </IconButton>
      )}
      <Menu.Root>
        <Menu.Trigger render={<IconButton label="More for this answer" className={styles.button} />}>
          <Ellipsis size={15} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className={menu.positioner} sideOffset={4} align="start">
            <Menu.Popup className={menu.popup}>
              <TravelItems record={record} />
              <EraseItems block={block} onErase={setErasure} />
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <EraseDialog erasure={erasure} onDone={() => setErasure(undefined)} />
    </>
  )
}

function TravelItems({ record }: { record: TurnRecord }): ReactElement {
  const isUnderWay = useIsUnderWay()
  const isLast = currentTurn(useTurnRecords()) === record
  const { goTo, branch } = useTravel()
  const end = record.entries.find(({ type }) => type === 'turn-ended')?.sequence
  const isOpen = end === undefined
  return (
    <>
      <Menu.Item
        className={menu.item}
        disabled={isUnderWay || isOpen || isLast}
        onClick={() => end !== undefined && goTo(end, 'Went back to this point')}
      >
        Go back to here
        <span className={menu.detail}>{goBackWords({ isUnderWay, isLast })}</span>
      </Menu.Item>
      <Menu.Item className={menu.item} disabled={isOpen} onClick={() => end !== undefined && branch(end)}>
        Branch from here
        <span className={menu.detail}>A new session; this one stays as it is</span>
      </Menu.Item>
    </>
  )
}

/** Nothing where nothing is left to erase. */
function EraseItems(props: { block: TurnBlock; onErase(erasure: Erasure): void }): ReactElement | null {
  const { user, replies } = props.block
  const isUnderWay = useIsUnderWay()
  const question = user?.synthetic === undefined && user !== undefined && !isErased(user) ? user : undefined
  const answer = replies.filter((reply) => !isErased(reply) && reply.synthetic !== 'blocked')
  if (question === undefined && answer.length === 0) return null
  return (
    <>
      <Menu.Separator className={menu.separator} />
      {question && (
        <Menu.Item
          className={`${menu.item} ${menu.danger}`}
          disabled={isUnderWay}
          onClick={() => props.onErase({ messageIds: [question.id], words: eraseQuestionWords(question) })}
        >
          Erase this question…
        </Menu.Item>
      )}
      {answer.length > 0 && (
        <Menu.Item
          className={`${menu.item} ${menu.danger}`}
          disabled={isUnderWay}
          onClick={() => props.onErase({ messageIds: answer.map(({ id }) => id), words: eraseAnswerWords(answer) })}
        >
          Erase this answer…
        </Menu.Item>
      )}
    </>
  )
}

function goBackWords({ isUnderWay, isLast }: { isUnderWay: boolean; isLast: boolean }): string {
  if (isUnderWay) return 'Not while something runs or waits'
  return isLast ? 'This is where the conversation stands' : 'What follows is set aside, not deleted'
}
