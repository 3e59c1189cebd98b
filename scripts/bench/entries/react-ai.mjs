import { useChat as useAiChat } from '@ai-sdk/react'
import { DirectChatTransport, jsonSchema, ToolLoopAgent, tool } from 'ai'
import { add, parameters, providerModel } from './script.mjs'

const agent = new ToolLoopAgent({
  model: providerModel(),
  tools: { add: tool({ description: 'adds', inputSchema: jsonSchema(parameters), execute: add }) },
})
const transport = new DirectChatTransport({ agent })

export const useChat = () => useAiChat({ transport })
