import {
  getByLabelSelector,
  getByRoleSelector,
  getByTestIdSelector,
  getByTextSelector,
  Locator,
  selectorEngine,
} from '@vitest/browser/locators'
import { page, server } from 'vitest/browser'

/** A locator that acts on the element itself: what drives this browser cannot click in the frame of a test. */
class DomLocator extends Locator {
  override readonly selector: string
  protected override readonly _container: Element | undefined

  constructor(selector: string, container?: Element) {
    super()
    this.selector = selector
    this._container = container
  }

  override async click(): Promise<void> {
    const found = await this.#found()
    found.click()
  }

  override async mark(): Promise<void> {
    // There is no trace to write into.
  }

  async #found(): Promise<HTMLElement> {
    for (let frames = 0; frames < 600; frames += 1) {
      const element = this.query()
      if (element instanceof HTMLElement) return element
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    throw new Error(`Nothing on the page is ${this.selector}.`)
  }

  protected override locator(selector: string): DomLocator {
    return new DomLocator(`${this.selector} >> ${selector}`, this._container)
  }

  protected override elementLocator(element: Element): DomLocator {
    return locate(element)
  }
}

function locate(element: Element): DomLocator {
  return new DomLocator(selectorEngine.generateSelectorSimple(element), element)
}

page.extend({
  getByLabelText: (text, options) => new DomLocator(getByLabelSelector(text, options)),
  getByRole: (role, options) => new DomLocator(getByRoleSelector(role, options)),
  getByTestId: (id) => new DomLocator(getByTestIdSelector(server.config.browser.locators.testIdAttribute, id)),
  getByText: (text, options) => new DomLocator(getByTextSelector(text, options)),
  elementLocator: locate,
})
