import {
  type Agent,
  background,
  createAgent,
  defineHook,
  defineHooks,
  type Model,
  type PostHookContext,
} from '@turnloop/core'

/** What the page does to send a mail. */
export type SendMail = (mail: { to: string; text: string }, signal: AbortSignal) => Promise<void>

/** An agent that mails its answer to whoever the turn's metadata names. The answer does not wait for the mail. */
export function createNotifyingAgent(model: Model, sendMail: SendMail): Agent {
  const notify = defineHook({
    name: 'notify',
    run: async ({ result, metadata: { email }, signal }: PostHookContext) => {
      if (typeof email === 'string') await sendMail({ to: email, text: result.text }, signal)
    },
  })
  return createAgent({ model, hooks: defineHooks({ postHooks: [background(notify)] }) })
}
