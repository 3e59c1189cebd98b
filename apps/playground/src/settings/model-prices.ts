import type { ModelPrices } from '../app/cost.ts'
import { keptSettings } from '../app/kept-settings.ts'
import type { Observable } from '../app/observable.ts'

/** What was filled in, by the name of the model. Nothing is known of prices that nobody wrote down. */
export type PriceList = Readonly<Record<string, ModelPrices>>

/** The prices of this browser, in every tab of the page. */
export const modelPrices: Observable<PriceList> = keptSettings('ask-your-data/prices', {
  read: toPriceList,
  isShared: true,
})

/** Change some of the prices of a model; `undefined` takes one away. */
export function setModelPrices(
  modelId: string,
  changes: { readonly [Price in keyof ModelPrices]: number | undefined },
): void {
  const prices = { ...modelPrices.get()[modelId], ...changes }
  modelPrices.set({ ...modelPrices.get(), [modelId]: readPrices(prices) })
}

function toPriceList(stored: Readonly<Record<string, unknown>>): PriceList {
  return Object.fromEntries(Object.entries(stored).map(([modelId, prices]) => [modelId, readPrices(prices)]))
}

/** The numbers among what may be anything. */
function readPrices(stored: unknown): ModelPrices {
  const given = new Map(Object.entries(stored ?? {}))
  const price = (name: keyof ModelPrices): ModelPrices => {
    const value: unknown = given.get(name)
    return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? { [name]: value } : {}
  }
  return { ...price('input'), ...price('output'), ...price('cachedInput') }
}
