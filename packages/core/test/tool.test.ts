/** Declaring tools: what is legal, what is refused when the tool is defined, and what applies where nothing is said. */
import { DEFAULT_TIMEOUTS, HoldpointError, toolDefiner, type Tool } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

/** As plain JavaScript or configuration would call it: the types are tested in tool.test-d.ts. */
const define = toolDefiner(undefined) as (options: unknown) => Tool
const input = z.object({ to: z.string() })
const run = () => 'sent'

const legal = {
  server: { name: 'email.send', description: 'Send an e-mail', input, run },
  human: { name: 'budget.ask', description: 'Ask for a budget', input, executor: 'human' },
  client: { name: 'screen.shot', description: 'Take a screenshot', input, executor: 'client' },
  external: { name: 'job.start', description: 'Start a job', input, executor: 'external' },
  provider: { name: 'web.search', id: 'openai.web_search', executor: 'provider' },
} as const
type Executor = keyof typeof legal

function refusal(options: unknown): HoldpointError {
  try {
    define(options)
  } catch (error) {
    if (HoldpointError.is(error)) return error
    throw error
  }
  throw new Error('The tool was not refused.')
}

describe('the matrix of executors and settings', () => {
  /** Who takes each setting. What is not listed here is refused, and the message says what to do instead. */
  const settings: Record<string, { value: unknown; takenBy: readonly Executor[] }> = {
    approval: { value: 'required', takenBy: ['server', 'client', 'external'] },
    approvalTimeout: { value: '1 day', takenBy: ['server', 'client', 'external'] },
    run: { value: run, takenBy: ['server'] },
    onLost: { value: 'fail', takenBy: ['server'] },
    manual: { value: true, takenBy: ['server'] },
    async: { value: true, takenBy: ['human', 'client', 'external'] },
    late: { value: 'inbox', takenBy: ['human', 'client', 'external'] },
    grace: { value: '5 seconds', takenBy: ['client'] },
    onExpire: { value: 'cancel', takenBy: ['server', 'human', 'client', 'external'] },
    output: { value: z.string(), takenBy: ['server', 'human', 'client', 'external'] },
    timeout: { value: '1 hour', takenBy: ['server', 'human', 'client', 'external'] },
    streaming: { value: true, takenBy: ['server', 'human', 'client', 'external'] },
    input: { value: input, takenBy: ['server', 'human', 'client', 'external'] },
    visible: { value: false, takenBy: ['server', 'human', 'client', 'external', 'provider'] },
    retention: { value: 'keep', takenBy: ['server', 'human', 'client', 'external', 'provider'] },
    description: { value: 'Other words', takenBy: ['server', 'human', 'client', 'external', 'provider'] },
    id: { value: 'openai.web_search', takenBy: ['provider'] },
    args: { value: { size: 'small' }, takenBy: ['provider'] },
  }
  const pairs = (Object.keys(legal) as Executor[]).flatMap((executor) =>
    Object.entries(settings).map(([key, { value, takenBy }]) => ({
      executor,
      key,
      value,
      taken: takenBy.includes(executor),
    })),
  )

  test.each(pairs.filter(({ taken }) => taken))('$executor takes $key', ({ executor, key, value }) => {
    expect(define({ ...legal[executor], [key]: value }).executor).toBe(executor)
  })

  test.each(pairs.filter(({ taken }) => !taken))(
    '$executor refuses $key and says what it takes',
    ({ executor, key, value }) => {
      const { code, message } = refusal({ ...legal[executor], [key]: value })
      expect(code).toBe('tool-invalid')
      expect(message).toContain(`Tool "${legal[executor].name}": "${key}"`)
      expect(message).toContain(`not for executor "${executor}"`)
      expect(message).toMatch(/ It takes name, |: remove |use |: register /)
    },
  )

  test.each([
    ['human', 'approval', 'remove "approval", or make it a server tool with approval "required"'],
    ['human', 'run', 'use askUser() in a server tool'],
    ['provider', 'approval', 'write a server tool that does the same and gate that'],
    ['provider', 'run', 'use executor "server"'],
    ['provider', 'input', 'settings in "args"'],
    ['client', 'run', 'register the function there by this name'],
    ['external', 'run', 'Another service runs it and posts the result'],
    ['external', 'grace', 'only "timeout" counts: remove "grace"'],
    ['server', 'async', 'use executor "external", "client" or "human"'],
    ['server', 'late', 'use executor "external", "client" or "human"'],
  ] as const)('%s with %s is told: %s', (executor, key, instead) => {
    expect(refusal({ ...legal[executor], [key]: settings[key]?.value }).message).toContain(instead)
  })

  test.each(Object.keys(legal) as Executor[])('approval "auto" is legal on %s, and gates nothing', (executor) => {
    expect(define({ ...legal[executor], approval: 'auto' })).not.toHaveProperty('gate')
  })

  test('a setting that is undefined counts as not given', () => {
    expect(define({ ...legal.human, approval: undefined, run: undefined }).executor).toBe('human')
  })
})

describe('a declaration is refused', () => {
  test.each([
    ['without a name', { name: undefined }, /undefined is not a tool name.*such as "notes.search"/],
    ['with an empty name', { name: '' }, /"" is not a tool name/],
    ['with spaces in its name', { name: 'send email' }, /"send email" is not a tool name/],
    ['with a name that starts with a dot', { name: '.send' }, /is not a tool name/],
    ['with a name in other letters', { name: 'größe' }, /is not a tool name/],
    ['with a line break after its name', { name: 'send\n' }, /is not a tool name/],
    ['with a name of 129 characters', { name: 'n'.repeat(129) }, /is not a tool name/],
    ['with a name that is no text', { name: 7n }, /7 is not a tool name/],
    [
      'for an unknown executor',
      { executor: 'robot' },
      /unknown executor "robot". Use server, human, client, external, provider/,
    ],
    ['for an executor that objects inherit', { executor: 'constructor' }, /unknown executor "constructor"/],
    ['for no executor at all', { executor: null }, /unknown executor null/],
    ['without a description', { description: undefined }, /needs a "description": the model reads it to choose a tool/],
    [
      'without an input',
      { input: undefined },
      /needs an "input" schema; for a tool without arguments give z.object\(\{\}\)/,
    ],
    ['with something to run that cannot run', { run: 'https://…' }, /"run" must be a function/],
    [
      'with something to run that cannot run, though manual',
      { run: 'https://…', manual: true },
      /"run" must be a function/,
    ],
    ['with an unknown setting', { timeOut: 5 }, /"timeOut": There is no such setting. It takes name, description/],
    ['with a setting that objects inherit', { constructor: 1 }, /"constructor": There is no such setting/],
    ['with a setting named __proto__', JSON.parse('{"__proto__":1}'), /"__proto__": There is no such setting/],
    [
      'with a timeout in no known unit',
      { timeout: '5 fortnights' },
      /Tool "email.send": "5 fortnights" is not a duration/,
    ],
    ['with a timeout that never ends', { timeout: Infinity }, /Infinity is not a duration/],
    [
      'with a grace in no known unit',
      { ...legal.client, run: undefined, grace: 'soon' },
      /Tool "screen.shot": "soon" is not a duration/,
    ],
    [
      'with a grace that outlasts the timeout',
      { ...legal.client, run: undefined, grace: '31 seconds' },
      /"grace" is longer than "timeout"/,
    ],
    ['with no time to approve', { approvalTimeout: 0 }, /0 is not a duration/],
    [
      'with an unknown onLost',
      { onLost: 'again' },
      /"onLost" must be "retry", "fail", "ask" or a function that verifies the call, not "again"/,
    ],
    [
      'with an unknown onExpire',
      { onExpire: 'ignore' },
      /"onExpire" must be "error", "reject", "cancel" or \{ answer \}, not "ignore"/,
    ],
    [
      'with an onExpire without its answer',
      { onExpire: { anser: 1 } },
      /"onExpire" must be .* or \{ answer \}, not \{"anser":1\}/,
    ],
    ['with an onExpire that answers with no JSON', { onExpire: { answer: 1n } }, /onExpire.answer is not JSON/],
    [
      'with an unknown late',
      { ...legal.human, run: undefined, late: 'drop' },
      /"late" must be "reject", "inbox", not "drop"/,
    ],
    [
      'with an unknown approval',
      { approval: 'maybe' },
      /"approval" must be true or "required", false or "auto", \{ required, reason\?, approvers\?, rules\?, remindAfter\?, escalate\? \} or a function/,
    ],
    ['with an approval that is a number', { approval: 1 }, /"approval" must be/],
    ['with an unclear approval', { approval: { reason: 'costs money' } }, /"approval" must be/],
    ['with an approval that misspells a field', { approval: { required: true, aprovers: 2 } }, /"approval" must be/],
    ['with an approval by no one', { approval: { required: true, approvers: { anyOf: [] } } }, /"approval" must be/],
    ['with a misspelt rule', { approval: { required: true, approvers: { any: ['ada'] } } }, /"approval" must be/],
    [
      'with an approval whose reminder is no duration',
      { approval: { required: true, remindAfter: 'soon' } },
      /"approval" must be/,
    ],
    [
      'with an approval that escalates to no one',
      { approval: { required: true, approvers: { anyOf: ['ada'] }, escalate: { after: '1 h', to: [] } } },
      /"approval" must be/,
    ],
    [
      'with an approval that escalates, and names no one to ask before',
      { approval: { required: true, approvers: 2, escalate: { after: 1, to: ['a'] } } },
      /"approval.escalate" needs "approvers.anyOf"/,
    ],
    ['with an approval by zero approvers', { approval: { required: true, approvers: 0 } }, /"approval" must be/],
    ['with an approval by one and a half', { approval: { required: true, approvers: 1.5 } }, /"approval" must be/],
    ['with an approval whose reason is no text', { approval: { required: true, reason: 5 } }, /"approval" must be/],
    ['with a manual that is no boolean', { manual: 'yes' }, /"manual" must be true or false, not "yes"/],
    ['with a visible that is no boolean', { visible: 'no' }, /"visible" must be true or false, not "no"/],
    ['with a streaming that is no boolean', { streaming: 1 }, /"streaming" must be true or false, not 1/],
    [
      'with an async that is no boolean',
      { ...legal.external, run: undefined, async: 'true' },
      /"async" must be true or false, not "true"/,
    ],
    [
      'with a retention it does not know',
      { retention: 'forever' },
      /"retention" must be "keep" or \{ turns\?, last\? \}, not "forever"/,
    ],
    [
      'for a vendor without the vendor’s id',
      { ...legal.provider, id: undefined, description: undefined, input: undefined, run: undefined },
      /needs "id", the vendor's name of the tool/,
    ],
    [
      'for a vendor with settings that are no object',
      { ...legal.provider, args: 'small', description: undefined, input: undefined, run: undefined },
      /"args" must be an object/,
    ],
  ])('%s', (_what, wrong, message) => {
    const error = refusal({ ...legal.server, ...wrong })
    expect(error.code).toBe('tool-invalid')
    expect(error.message).toMatch(message)
  })

  test.each([undefined, null, 'email.send', [legal.server], () => legal.server])(
    'when it is %s and not an object',
    (options) => {
      expect(refusal(options)).toMatchObject({
        code: 'tool-invalid',
        message: 'A tool is declared with an object: tool({ name, description, input, run }).',
      })
    },
  )

  test.each([
    ['text', z.string()],
    ['a list', z.array(z.string())],
    ['nothing', z.null()],
  ])('when its input is %s, since models call with named arguments', (_what, schema) => {
    expect(refusal({ ...legal.server, input: schema }).message).toMatch(
      /Tool "email.send": input must describe an object/,
    )
  })
})

describe('where the author says nothing', () => {
  test.each(Object.keys(legal) as Executor[])('%s tools get the defaults', (executor) => {
    expect(define(legal[executor])).toMatchObject({
      waiting: { timeoutMs: DEFAULT_TIMEOUTS[executor], onExpire: 'error' },
      approvalTimeoutMs: 7 * 86_400_000,
      async: false,
      manual: false,
      onLost: 'retry',
      streaming: false,
      visible: true,
      retention: undefined,
    })
  })

  test.each([
    ['external', 'inbox'],
    ['client', 'inbox'],
    ['human', 'reject'],
    ['server', 'reject'],
    ['provider', 'reject'],
  ] as const)('a late answer to a tool of executor %s goes to: %s', (executor, late) => {
    expect(define(legal[executor]).waiting.late).toBe(late)
  })

  test('people get a week, clients and services half a minute, our own code ten minutes', () => {
    expect(DEFAULT_TIMEOUTS).toMatchObject({
      approval: 604_800_000,
      human: 604_800_000,
      client: 30_000,
      external: 30_000,
      server: 600_000,
    })
  })

  test.each(['auto', undefined, { required: false }])('approval %j means that no approver is asked', (approval) => {
    expect(define({ ...legal.server, approval }).gate).toBeUndefined()
  })

  test('the executor is server', () => {
    expect(define(legal.server)).toMatchObject({ executor: 'server', run: expect.any(Function) })
  })
})

describe('what the author says is kept', () => {
  test('times, in milliseconds', () => {
    const tool = define({
      ...legal.client,
      timeout: '2 minutes',
      approvalTimeout: '3 days',
      late: 'inbox',
      onExpire: 'cancel',
    })
    expect(tool.waiting).toEqual({ timeoutMs: 120_000, graceMs: 5000, onExpire: 'cancel', late: 'inbox' })
    expect(tool.approvalTimeoutMs).toBe(259_200_000)
  })

  test('an answer for the timeout, as the JSON it will be stored as', () => {
    const { waiting } = define({ ...legal.human, onExpire: { answer: { at: new Date(0), by: undefined } } })
    expect(waiting.onExpire).toEqual({ answer: { at: '1970-01-01T00:00:00.000Z' } })
  })

  test('a manual tool needs nothing to run', () => {
    const tool = define({ ...legal.server, run: undefined, manual: true })
    expect(tool).toMatchObject({ executor: 'server', manual: true })
    expect(tool.run).toBeUndefined()
  })

  test('a function for onLost becomes the way to find out', () => {
    const onLost = () => ({ happened: false })
    expect(define({ ...legal.server, onLost })).toMatchObject({ onLost: 'verify', verify: onLost })
  })

  test('a provider tool carries the vendor’s id and settings', () => {
    expect(define({ ...legal.provider, args: { size: 'small' } }).provider).toEqual({
      id: 'openai.web_search',
      args: { size: 'small' },
    })
  })
})

describe('the fingerprint', () => {
  const changes = {
    description: { description: 'Send an e-mail to any address' },
    input: { input: z.object({ to: z.string(), bcc: z.string() }) },
    output: { output: z.string() },
    name: { name: 'email.send2' },
  }
  test.each(Object.entries(changes))('changes with the %s, by which an approver judged the tool', (_what, change) => {
    expect(define({ ...legal.server, ...change }).fingerprint).not.toBe(define(legal.server).fingerprint)
  })

  test('stays the same for the same declaration, whatever it runs', () => {
    expect(define({ ...legal.server, run: () => 'other', timeout: 5 }).fingerprint).toBe(
      define(legal.server).fingerprint,
    )
  })
})
