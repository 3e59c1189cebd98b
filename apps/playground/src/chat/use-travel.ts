import type { Checkpoint, Session } from '@turnloop/core'
import { useMemo } from 'react'
import { announce } from '../app/announcer.tsx'
import { goToSession } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import { useTurn } from '../app/use-turn.ts'

/** Going to other points of the conversation. Failures are shown; how it went is read out. */
export interface Travel {
  /** Go to a checkpoint; what comes after it is set aside. */
  goTo(sequence: number, told: string): void
  /** Open a new session with the conversation up to a checkpoint. */
  branch(sequence: number): void
}

/** Whether the conversation cannot be taken to another point just now: something runs or waits. */
export function useIsUnderWay(): boolean {
  return useTurn((turn) => turn.status !== 'idle' || turn.resumable === true)
}

/** The commands that go to other points of the session in the address. */
export function useTravel(): Travel {
  const commands = useTurn(({ checkpoints, rewind, fork }) => ({ checkpoints, rewind, fork }))
  const title = useTurn((turn) => turn.title)
  return useMemo(() => {
    const { checkpoints, rewind, fork } = commands
    const find = async (isMeant: (checkpoint: Checkpoint) => boolean): Promise<Checkpoint> => {
      const found = (await checkpoints()).findLast(isMeant)
      if (found === undefined) throw new Error('That point of the conversation is not there any more.')
      return found
    }
    const goTo = async (sequence: number, told: string): Promise<void> => {
      await rewind(await find((checkpoint) => checkpoint.sequence === sequence))
      announce(told)
    }
    const branch = async (sequence: number): Promise<void> => {
      const checkpoint = await find((one) => one.sequence === sequence)
      const session = await fork(checkpoint)
      await settleBranch(session, checkpoint, title)
      goToSession(session.id)
      tellOfBranch()
    }
    return {
      goTo: (sequence, told) => void goTo(sequence, told).catch(tell),
      branch: (sequence) => void branch(sequence).catch(tell),
    }
  }, [commands, title])
}

/** A new session that begins in the middle of a turn waits there for what is asked next; nothing of that turn runs in it. */
async function settleBranch(session: Session, checkpoint: Checkpoint, title: string | undefined): Promise<void> {
  if (checkpoint.position !== 'end' && checkpoint.position !== 'start') await session.rewind(checkpoint)
  if (title !== undefined) await session.rename(branchTitle(title))
  await session.close({ running: 'leave' })
}

const BRANCH = 'Branch: '

/** The title of a branch of a session. */
function branchTitle(title: string): string {
  return title.startsWith(BRANCH) ? title : `${BRANCH}${title}`
}

function tellOfBranch(): void {
  const toastId = toasts.add({
    title: 'A new session, up to this point.',
    actionProps: {
      children: 'Back',
      onClick: () => {
        history.back()
        toasts.close(toastId)
      },
    },
  })
}

function tell(error: unknown): void {
  toasts.add({ title: error instanceof Error ? error.message : 'The conversation stays as it was.' })
}
