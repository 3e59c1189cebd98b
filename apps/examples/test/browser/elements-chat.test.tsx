import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { ElementsChat } from '../../src/elements-chat.tsx'
import { openPaying } from './open-session.ts'
import { render } from './strict-render.ts'

test('copied components show a turn and decide about its call', async () => {
  const session = openPaying()
  await render(<ElementsChat session={session} />)
  await page.getByLabelText('Message').fill('Pay it')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect.element(page.getByText('It is paid.')).toBeVisible()
  await session.close()
})
