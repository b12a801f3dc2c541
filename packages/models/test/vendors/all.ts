import { anthropic } from './anthropic.ts'
import { google } from './google.ts'
import { openaiChat, openaiCompatible } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Vendor } from './vendor.ts'

export const vendors: readonly Vendor[] = [openaiResponses, openaiChat, openaiCompatible, anthropic, google]
