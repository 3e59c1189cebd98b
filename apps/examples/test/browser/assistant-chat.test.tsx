import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { AssistantChat } from '../../src/assistant-chat.tsx'
import { openPaying } from './open-session.ts'
import { render } from './strict-render.ts'

test('assistant-ui sends to a session and shows what it says', async () => {
  const session = openPaying()
  await render(<AssistantChat session={session} />)
  await page.getByLabelText('Message').fill('Pay it')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect.element(page.getByText('It is paid.')).toBeVisible()
  await expect.element(page.getByText('Pay it')).toBeVisible()
  await session.close()
})
