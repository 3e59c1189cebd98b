import { create } from 'zustand'
import { firstTurn } from './bare.mjs'

/** The loop by hand and a store. */
export const useText = create(() => ({ text: '' }))

export const send = async () => useText.setState({ text: await firstTurn() })
