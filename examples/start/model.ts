/** The model of the demo: a vendor's if the environment has an API key, otherwise the scripted one. */
import { aiSdkModel, type Model } from 'holdpoint'
import { demoModel } from './demo-model.ts'

export interface Chosen {
  readonly model: Model
  /** The vendor's own web search. */
  readonly search: string | undefined
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * `OPENAI_BASE_URL` is the address of any OpenAI-compatible server; `HOLDPOINT_MODEL` selects the model. `fetch` sends the
 * requests to the vendor.
 */
export async function chosenModel(env: Env, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<Chosen> {
  const {
    OPENAI_API_KEY,
    ANTHROPIC_API_KEY,
    GOOGLE_GENERATIVE_AI_API_KEY,
    OPENAI_BASE_URL,
    HOLDPOINT_MODEL: name,
  } = env
  if (OPENAI_BASE_URL) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const key = OPENAI_API_KEY ? { apiKey: OPENAI_API_KEY } : {}
    const vendor = createOpenAICompatible({ name: 'compatible', baseURL: OPENAI_BASE_URL, fetch, ...key })
    return { model: aiSdkModel(vendor(name ?? 'default')), search: undefined }
  }
  if (OPENAI_API_KEY) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const vendor = createOpenAI({ apiKey: OPENAI_API_KEY, fetch })
    return { model: aiSdkModel(vendor(name ?? 'gpt-5-mini')), search: 'openai.web_search' }
  }
  if (ANTHROPIC_API_KEY) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const vendor = createAnthropic({ apiKey: ANTHROPIC_API_KEY, fetch })
    return { model: aiSdkModel(vendor(name ?? 'claude-haiku-4-5')), search: 'anthropic.web_search_20250305' }
  }
  if (GOOGLE_GENERATIVE_AI_API_KEY) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const vendor = createGoogleGenerativeAI({ apiKey: GOOGLE_GENERATIVE_AI_API_KEY, fetch })
    // Google's own search does not work together with other tools.
    return { model: aiSdkModel(vendor(name ?? 'gemini-2.5-flash')), search: undefined }
  }
  return { model: demoModel, search: 'demo.web_search' }
}
