import { costOf } from '../app/cost.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { isRemote } from './model-choice.ts'
import { MODEL_KINDS } from './model-kinds.ts'
import type { PriceList } from './model-prices.ts'

/** What a turn cost, in US dollars: nothing with a model of this device, and `undefined` where that is not known. */
export function turnCost(record: TurnRecord, prices: PriceList): number | undefined {
  const { usage } = record
  const modelId = turnModel(record)
  if (usage === undefined || modelId === undefined) return undefined
  return isOnDevice(modelId) ? 0 : costOf(usage, prices[modelId] ?? {})
}

/** The model that a turn began with, by the name that the settings have for it. */
export function turnModel({ entries }: TurnRecord): string | undefined {
  return entries.find((entry) => entry.type === 'turn-started')?.modelId
}

/** Models of this device are named by their kind. */
export function isOnDevice(modelId: string): boolean {
  return MODEL_KINDS.some(({ kind }) => kind === modelId && !isRemote(kind))
}
