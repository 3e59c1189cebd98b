import { messageText, type Session } from '@turnloop/core'

/** Show a conversation as a person would see it: what was said, how it stands, whether it is kept. */
export function showConversation(session: Session, warnings: readonly string[]): void {
  const section = document.createElement('section')
  section.id = session.id
  const parts = ['status', 'storage', 'warnings', 'messages'].map((name) => {
    const element = document.createElement('p')
    element.className = name
    section.append(element)
    return element
  })
  const show = (): void => {
    const { status, storage, messages } = session.getSnapshot()
    const texts = messages.map(
      (message) => `${message.role}: ${message.role === 'tool' ? '' : messageText(message).slice(0, 200)}`,
    )
    const reason = storage.message === undefined ? '' : `: ${storage.message}`
    const shown = [
      status,
      `${storage.state}, ${storage.waiting} not saved${reason}`,
      warnings.join('\n'),
      texts.join('\n'),
    ]
    for (const [at, part] of parts.entries()) part.textContent = shown[at] ?? ''
  }
  session.subscribe(show)
  show()
  document.querySelector('main')?.append(section)
}
