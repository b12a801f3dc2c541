/** The AI SDK's format for names that belong to a vendor: `openai.web_search`, `anthropic.fallback`. */
type VendorName = `${string}.${string}`

export function isVendorName(name: string): name is VendorName {
  return name.includes('.')
}
