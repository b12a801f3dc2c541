/** The AI SDK's shape for names that belong to a vendor: `openai.web_search`, `anthropic.fallback`. */
type Dotted = `${string}.${string}`

export function isDotted(name: string): name is Dotted {
  return name.includes('.')
}
