/**
 * Attribute and metric names of the GenAI semantic conventions. They are in development and change with each version, so the
 * version is fixed here; the tests compare the names with the package of that version.
 */
export const GEN_AI_CONVENTIONS = '1.45.0'
export const SCHEMA_URL: string = `https://opentelemetry.io/schemas/${GEN_AI_CONVENTIONS}`

export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  outputMessages: 'gen_ai.output.messages',
  inputMessages: 'gen_ai.input.messages',
  tokenType: 'gen_ai.token.type',
} as const

export const GEN_AI_METRICS = {
  operationDuration: 'gen_ai.client.operation.duration',
  tokenUsage: 'gen_ai.client.token.usage',
} as const

/** `openai/gpt-5` names the provider and the model. */
export function providerOf(model: string): { readonly provider?: string; readonly model: string } {
  const at = model.indexOf('/')
  return at > 0 ? { provider: model.slice(0, at), model: model.slice(at + 1) } : { model }
}
