import { chat } from '@tanstack/ai'
import { stream, useChat as useTanstackChat } from '@tanstack/ai-react'
import { adapter, tools } from './tanstack.mjs'

const connection = stream((messages) => chat({ adapter, messages, tools }))

export const useChat = () => useTanstackChat({ connection })
