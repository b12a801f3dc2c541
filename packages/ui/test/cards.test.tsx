/** Cards and forms: what they show before an answer, and after it. */
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import type { Json, Resolution, ResolveResult, ViewCall } from '@holdpoint/client'
import { ApprovalCard, ComposerField, HoldCard, JsonValue, Markdown, SchemaForm, ToolCall } from '@holdpoint/ui'
import type { Schema } from '../src/schema.ts'
import { alerts, click, fields, holdOf, type } from './cards.ts'
import { act, draw } from './drawn.ts'

test('an answer that could not be sent shows an error, and the user can send it again', async () => {
  let reachable = false
  const onResolve = async (): Promise<ResolveResult> => {
    if (!reachable) throw new Error('No answer from the gateway: Failed to fetch')
    return { verdict: 'accepted', message: '' }
  }
  await draw(<ApprovalCard hold={holdOf()} onResolve={onResolve} />)
  await click('Approve')
  expect(alerts()).toContain('We couldn’t confirm your answer was saved. No answer from the gateway')
  await click('Reject…')
  await click('Reject')
  expect(alerts()).toContain('No answer from the gateway')
  await click('Back')
  reachable = true
  await click('Approve')
  expect(alerts()).toBe('')
  expect(document.querySelector('[data-verdict]')?.textContent).toContain('Your answer was saved')
})

test('an approval shows its reason and is answered without a form', async () => {
  const said: Resolution[] = []
  const onResolve = async (resolution: Resolution): Promise<ResolveResult> => {
    said.push(resolution)
    return { verdict: 'accepted', message: '' }
  }
  const page = await draw(<ApprovalCard hold={holdOf({ reason: 'ada is outside' })} onResolve={onResolve} />)
  expect(page.text()).toContain('ada is outside')
  expect(document.querySelectorAll('form, input, textarea, select')).toHaveLength(0)
  await click('Approve')
  expect(said).toMatchObject([{ kind: 'approve' }])
})

test('an answer that was too late shows the first answer, and the form is removed', async () => {
  const first = {
    hold: 'approval',
    nth: 1,
    accepts: ['approve'],
    by: 'grace',
    at: Date.now(),
    resolution: { kind: 'reject' },
  } as const
  const onResolve = async (): Promise<ResolveResult> => ({ verdict: 'conflict', message: '', first })
  await draw(<ApprovalCard hold={holdOf()} onResolve={onResolve} />)
  await click('Edit…')
  await type(fields()[0] as HTMLInputElement, 'eve@example.org')
  await click('Approve with 1 change')
  expect(document.querySelector('[data-verdict="conflict"]')?.textContent).toContain('grace rejected it')
  expect(document.querySelectorAll('form, button')).toHaveLength(0)
})

test('the card shows earlier answers to the call, and hidden characters in names', async () => {
  const hold = holdOf({ nth: 22, approvers: 3, endorsedBy: ['ev\u202Ee'] })
  const call: ViewCall = {
    state: 'held',
    hold,
    callId: 'call1',
    name: 'email.send',
    input: hold.input,
    proposed: hold.input,
    attempt: 1,
    holds: 2,
    resolved: [
      {
        hold: 'approval',
        nth: 1,
        accepts: ['approve'],
        heldAt: 1,
        at: 2,
        by: 'grace',
        resolution: { kind: 'approve', input: {} },
      },
    ],
  }
  const page = await draw(
    <ToolCall call={call} agent={'de\u200Bsk'} onResolve={async () => ({ verdict: 'accepted', message: '' })} />,
  )
  for (const each of ['grace approved it with changes', 'for the 22nd time', 'U+202E', 'U+200B', '1 of 3 approved'])
    expect(page.text()).toContain(each)
})

test.each<[string, Json, string]>([
  ['a text that looks like a number', '42', '“42”'],
  ['a number', 42, '42'],
  ['a text that looks like null', 'null', '“null”'],
  ['a text that ends with a space', 'rm -rf / ', '“rm -rf / ”'],
  ['a text like our own label', 'empty text', '“empty text”'],
  [
    'an emoji before the collapsed part',
    `${'a'.repeat(599)}👋 and more`,
    `${'a'.repeat(599)}… Show 11 more characters`,
  ],
  ['a value nested too deep', { a: { b: { c: { d: { e: 1 } } } } }, 'Show 1 field'],
  ['many equal hidden characters', `a${'\u200B'.repeat(500)}b`, 'aU+200B zero-width space ×500b'],
  ['a list of many', Array.from({ length: 1521 }, () => ''), 'Show 500 of 1,501 more items'],
  [
    'many hosts',
    Array.from({ length: 30 }, (_, nth) => `https://h${nth}.example`).join(' '),
    'Show 10 more hosts it leads to',
  ],
])('%s is shown without doubt about its value', async (_what, value, shown) => {
  const page = await draw(<JsonValue value={value} />)
  expect(page.text()).toContain(shown)
})

test('a question to be done on another site shows its address, and the answer says that it was done', async () => {
  const said: Resolution[] = []
  const url = 'https://bank.example@evil.example/login'
  const hold = holdOf({ kind: 'elicitation', accepts: ['answer', 'reject'], input: {}, reason: 'Please log in', url })
  const page = await draw(
    <HoldCard
      hold={hold}
      onResolve={async (resolution) => {
        said.push(resolution)
        return { verdict: 'accepted', message: '' }
      }}
    />,
  )
  expect(page.text()).toContain(url)
  expect(page.text()).toContain('leads to evil.example')
  expect(document.querySelector('a')?.textContent).toBe('Go to evil.example')
  await click('I have done this')
  expect(said).toEqual([{ kind: 'answer', value: true }])
  await page.redraw(
    <HoldCard
      key="2"
      hold={{ ...hold, url: 'javascript:alert(1)' }}
      onResolve={async () => ({ verdict: 'accepted', message: '' })}
    />,
  )
  expect(document.querySelector('a')).toBeNull()
})

test('a question that is long or has an address is shown below the heading, with its host', async () => {
  const hold = holdOf({
    kind: 'elicitation',
    accepts: ['answer'],
    input: { question: 'See https://bank.example@evil.example' },
  })
  const page = await draw(<HoldCard hold={hold} onResolve={async () => ({ verdict: 'accepted', message: '' })} />)
  expect(document.querySelector('h3')?.textContent).toBe('email.send asks you a question')
  expect(page.text()).toContain('leads to evil.example')
})

function Form({
  schema,
  value,
  onSubmit,
}: {
  readonly schema: Schema
  readonly value?: Json
  readonly onSubmit: (value: Json) => void
}): ReactNode {
  return (
    <SchemaForm schema={schema} {...(value !== undefined && { value })} onSubmit={onSubmit}>
      <button type="submit">Send</button>
    </SchemaForm>
  )
}

test('a form sends what it shows, even after an earlier item was removed', async () => {
  let sent: Json | undefined
  const schema: Schema = { type: 'object', properties: { amounts: { type: 'array', items: { type: 'number' } } } }
  await draw(<Form schema={schema} onSubmit={(value) => (sent = value)} />)
  await click('Add to amounts')
  await click('Add to amounts')
  await type(fields()[0] as HTMLInputElement, '1')
  await type(fields()[1] as HTMLInputElement, '2.')
  expect(fields().map(({ value }) => value)).toEqual(['1', '2.'])
  await act(async () => document.querySelector<HTMLElement>('[aria-label="Remove amounts 1"]')?.click())
  expect(fields().map(({ value }) => value)).toEqual(['2'])
  await click('Send')
  expect(sent).toEqual({ amounts: [2] })
})

test('an optional object is added by a button, and a recursive schema ends', async () => {
  let sent: Json | undefined
  const node: Schema = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#' } },
    required: ['name'],
  }
  await draw(<Form schema={node} onSubmit={(value) => (sent = value)} />)
  expect(fields()).toHaveLength(1)
  await type(fields()[0] as HTMLInputElement, 'a')
  await click('Add next')
  expect(fields()).toHaveLength(2)
  await click('Remove next')
  await click('Send')
  expect(sent).toEqual({ name: 'a' })
  const endless: Schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
  await draw(<Form schema={endless} onSubmit={() => {}} />)
  expect(document.querySelectorAll('textarea')).toHaveLength(1)
})

test('null can be approved unchanged', async () => {
  let sent: Json | undefined
  await draw(<Form schema={{}} value={null} onSubmit={(value) => (sent = value)} />)
  await click('Send')
  expect(sent).toBeNull()
})

test('text written while a message is sent is kept', async () => {
  let arrive = (): void => {}
  const onSend = (): Promise<{ readonly ok: true }> => new Promise((resolve) => (arrive = () => resolve({ ok: true })))
  await draw(<ComposerField onSend={onSend} />)
  const field = document.querySelector('textarea') as HTMLTextAreaElement
  await type(field, 'First')
  await click('Send')
  await type(field, 'First and second')
  await act(async () => arrive())
  expect(field.value).toBe(' and second')
})

test('a link shows its target unless the link text is the target', async () => {
  const page = await draw(
    <Markdown
      text={
        '\u202E[bank.example evil.example](https://evil.example) <https://ok.example/x> [ada@a.example](mailto:eve@evil.example)'
      }
    />,
  )
  expect([...document.querySelectorAll('bdi')].map(({ textContent }) => textContent)).toEqual([
    '(evil.example)',
    '(eve@evil.example)',
  ])
  expect(page.text()).not.toContain('(ok.example)')
})

test('markdown that is nested too deep is shown as source text', async () => {
  const page = await draw(<Markdown text={`${'>'.repeat(400)} deep\n\n${'*'.repeat(400)}x${'*'.repeat(400)}`} />)
  expect(document.querySelectorAll('blockquote').length).toBeLessThan(12)
  expect(document.querySelectorAll('strong, em').length).toBeLessThan(25)
  expect(page.text()).toContain('deep')
  expect(page.text().match(/>/g)?.length).toBeGreaterThan(380)
})

test('an empty item says that it is required', async () => {
  const schema: Schema = { type: 'array', items: { type: 'number' } }
  const page = await draw(<Form schema={schema} onSubmit={() => {}} />)
  await click('Add to')
  await click('Send')
  expect(page.text()).toContain('This field is required.')
  expect(page.text()).not.toContain('Instance')
})

test('while a call is edited, its fields show hidden characters and hosts', async () => {
  const input = { file: 'pay\u202Egnp.exe', url: 'https://bank.example@evil.example' }
  const page = await draw(
    <ApprovalCard hold={holdOf({ input })} onResolve={async () => ({ verdict: 'accepted', message: '' })} />,
  )
  await click('Edit…')
  expect(page.text()).toContain('With hidden characters: payU+202E right-to-left overridegnp.exe')
  expect(page.text()).toContain('leads to evil.example')
  await type(fields()[0] as HTMLInputElement, 'pay.exe')
  expect(page.text()).not.toContain('With hidden characters: pay.exe')
})

test.each(['*a ', '***a ', '*_a ', '_a ', '![](x', '[a](', '<a '])(
  'a long text of %j is parsed quickly and shown as it is',
  async (piece) => {
    const text = piece.repeat(30_000)
    const before = performance.now()
    const page = await draw(<Markdown text={`Some **words**\n\n${text}`} />)
    // Without a limit it takes minutes. The bound leaves room for slow machines.
    expect(performance.now() - before).toBeLessThan(15_000)
    expect(page.text()).toContain(text.trim())
    expect(document.querySelector('strong')?.textContent).toBe('words')
  },
)
