import { askAndWait, askExample, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('what a second agent did stands under its call, in the inspector and in the conversation', async ({ page }) => {
  await openPlayground(page)
  await askExample(page)
  const turn = await askAndWait(page, 'ask the analyst to compare horsepower and weight by origin')
  const timeline = page.getByRole('list', { name: 'Time line of the turn' })
  const nested = timeline.locator('li[data-under]').getByRole('button')
  await expect(nested).toHaveText([/^model/, /^query_table/, /^query_table/, /^model/])
  await nested.last().click()
  await expect(timeline.getByText(/has the highest average Horsepower/)).toBeVisible()

  await expect(turn.locator('li[data-tool="query_table"]')).toHaveCount(0)
  await turn.locator('li[data-tool="ask_analyst"]').getByRole('button').first().click()
  const did = turn.getByRole('region', { name: 'What the agent did' })
  await expect(did.locator('li[data-tool="query_table"]')).toHaveCount(2)
  await did.locator('li[data-tool="query_table"]').first().getByRole('button').first().click()
  await expect(did.getByRole('region', { name: 'Rows of the query' })).toContainText('119.9')
})
