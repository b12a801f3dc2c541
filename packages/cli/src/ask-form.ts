/** Asks for an answer in the terminal: field by field for a flat object, as JSON for anything else. */
import type { Readable, Writable } from 'node:stream'
import { createInterface } from 'node:readline/promises'
import { isObject } from '@holdpoint/core'
import { visible } from '@holdpoint/channels'
import type { JsonObject } from 'holdpoint'
import { UsageError, type Io } from './io.ts'

export async function askForm(schema: JsonObject | undefined, { stdin, stderr, signal }: Io): Promise<unknown> {
  const lines = createInterface({ input: stdin as unknown as Readable, output: stderr as unknown as Writable })
  const ask = async (question: string): Promise<string> => (await lines.question(visible(question), { signal })).trim()
  try {
    const fields = isObject(schema?.['properties']) ? Object.entries(schema['properties']) : []
    if (schema?.['type'] !== 'object' || fields.length === 0) {
      return valueOf(await ask('Answer: '), schema?.['type'])
    }
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
    const answer: Record<string, unknown> = {}
    for (const [name, field] of fields) {
      const given = isObject(field) ? field : {}
      const choices = Array.isArray(given['enum']) ? ` (${given['enum'].map(String).join(', ')})` : ''
      const words = typeof given['description'] === 'string' ? ` – ${given['description']}` : ''
      const needed = required.includes(name)
      let text = ''
      do text = await ask(`${name}${words}${choices}${needed ? '' : ' [optional]'}: `)
      while (needed && text === '')
      if (text !== '') answer[name] = valueOf(text, given['type'])
    }
    return answer
  } finally {
    lines.close()
  }
}

function valueOf(text: string, type: unknown): unknown {
  if (type === 'string') return text
  if (type === 'boolean' && /^(y|yes)$/i.test(text)) return true
  if (type === 'boolean' && /^(n|no)$/i.test(text)) return false
  try {
    return JSON.parse(text)
  } catch {
    if (type === undefined) return text
    throw new UsageError(`"${text}" is not a ${typeof type === 'string' ? type : 'value'} of the form.`)
  }
}
