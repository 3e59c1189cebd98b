import type { ModelPrices } from '../app/cost.ts'
import { type Observable, observable } from '../app/observable.ts'

/** What was filled in, by the name of the model. Nothing is known of prices that nobody wrote down. */
export type PriceList = Readonly<Record<string, ModelPrices>>

const KEY = 'ask-your-data/prices'

/** The prices of this browser, in every tab of the page. */
export const modelPrices: Observable<PriceList> = createPriceList()

/** Change some of the prices of a model; `undefined` takes one away. */
export function setModelPrices(
  modelId: string,
  changes: { readonly [Price in keyof ModelPrices]: number | undefined },
): void {
  const prices = { ...modelPrices.get()[modelId], ...changes }
  modelPrices.set({ ...modelPrices.get(), [modelId]: readPrices(prices) })
}

function createPriceList(): Observable<PriceList> {
  const list = observable(readList())
  list.subscribe(() => {
    const text = JSON.stringify(list.get())
    try {
      if (localStorage.getItem(KEY) !== text) localStorage.setItem(KEY, text)
    } catch {
      // Storage may be off or full. The prices then hold until the page is closed.
    }
  })
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) list.set(readList())
  })
  return list
}

function readList(): PriceList {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    return Object.fromEntries(Object.entries(stored ?? {}).map(([modelId, prices]) => [modelId, readPrices(prices)]))
  } catch {
    return {}
  }
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
