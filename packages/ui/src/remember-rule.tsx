/**
 * Approves a call and saves a rule for others like it. The person ticks each field that must stay the same, and reads the rule in
 * words before it is saved. Nothing is ticked at first: a rule covers what a person chose, not what a machine guessed.
 */
import { createContext, use, useId, useState, type ReactNode } from 'react'
import { ruleWords, type SaveRule } from '@holdpoint/client'
import { AnswerRow } from './answer-row.tsx'
import { Button } from './button.tsx'
import type { CardHold } from './card-hold.ts'
import { errorWords } from './error-words.ts'
import { inputFields, type InputField } from './input-fields.ts'
import { JsonValue } from './json-value.tsx'
import { ShownText } from './shown-text.tsx'
import type { Resolving } from './use-resolve.ts'

/** Saves a rule. Without it, cards do not offer to remember an approval. */
export const SaveRuleContext: React.Context<((rule: SaveRule) => Promise<unknown>) | undefined> = createContext<
  ((rule: SaveRule) => Promise<unknown>) | undefined
>(undefined)

/** How to save a rule about calls like this one; undefined if the gate of the tool would not follow it. */
export function useSaveRule(hold: CardHold): ((rule: SaveRule) => Promise<unknown>) | undefined {
  const save = use(SaveRuleContext)
  return hold.rules === 'may-relax' && inputFields(hold.input).length > 0 ? save : undefined
}

export interface RememberRuleProps {
  readonly hold: CardHold
  readonly agent?: string | undefined
  readonly save: (rule: SaveRule) => Promise<unknown>
  readonly resolving: Resolving
  readonly onCancel: () => void
  readonly onApprove: () => void
}

const DAY = 86_400_000
const TIMES: readonly (readonly [days: number | undefined, words: string])[] = [
  [1, 'for one day'],
  [7, 'for one week'],
  [30, 'for 30 days'],
  [undefined, 'until it is revoked'],
]

const FIELD =
  'h-8 rounded-md border border-input bg-background px-2 text-sm outline-none focus-visible:ring-2 focus-visible:ring-ring'

export function RememberRule(props: RememberRuleProps): ReactNode {
  const { hold, agent, save, resolving, onCancel, onApprove } = props
  const fields = inputFields(hold.input)
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [days, setDays] = useState<number | undefined>(7)
  const [where, setWhere] = useState('tenant')
  const [shadow, setShadow] = useState(false)
  const [saving, setSaving] = useState<{ readonly busy: boolean; readonly problem?: string }>({ busy: false })
  const places = placesOf(hold, agent)
  const rule: SaveRule = {
    effect: 'allow',
    tool: hold.name,
    fingerprint: hold.fingerprint,
    when: fields.filter(({ at }) => ticked.has(at)).map(({ at, value }) => ({ at, equals: value })),
    scope: places.find(({ key }) => key === where)?.scope ?? {},
    examples: { match: [hold.input] },
    ...(shadow && { shadow: true }),
  }
  const chosen = rule.when.length > 0
  const busy = saving.busy || resolving.busy
  const submit = async (): Promise<void> => {
    setSaving({ busy: true })
    try {
      // First the rule: once the call is approved, this card is gone, and with it a message about a rule that was not saved.
      await save({ ...rule, ...(days !== undefined && { expiresAt: Date.now() + days * DAY }) })
      setSaving({ busy: false })
      onApprove()
    } catch (error) {
      setSaving({ busy: false, problem: error instanceof Error ? errorWords(error) : String(error) })
    }
  }
  return (
    <form
      aria-label="Approve and remember"
      className="grid gap-3 rounded-md border border-border bg-background px-3 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen && resolving.settled) void submit()
      }}
    >
      <Fields fields={fields} ticked={ticked} onTick={setTicked} />
      <Extent places={places} where={where} onWhere={setWhere} days={days} onDays={setDays} />
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={shadow} onChange={(event) => setShadow(event.target.checked)} />
        Only record what the rule would do
      </label>
      <div role="status" className="rounded-md bg-muted px-3 py-2 text-sm">
        <h4 className="text-xs text-muted-foreground">The rule</h4>
        <p dir="auto">
          {chosen ? (
            <ShownText text={ruleWords(rule)} />
          ) : (
            'Tick at least one field. A rule without any would cover every input.'
          )}
        </p>
      </div>
      {saving.problem !== undefined && (
        <p role="alert" className="text-xs text-destructive">
          The rule was not saved, and the call was not approved. <ShownText text={saving.problem} />
        </p>
      )}
      <AnswerRow resolving={resolving}>
        <Button type="submit" look="ok" disabled={busy} aria-disabled={!chosen || !resolving.settled}>
          Approve and save the rule
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Back
        </Button>
      </AnswerRow>
    </form>
  )
}

function Fields({
  fields,
  ticked,
  onTick,
}: {
  readonly fields: readonly InputField[]
  readonly ticked: ReadonlySet<string>
  readonly onTick: (ticked: ReadonlySet<string>) => void
}): ReactNode {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-sm font-medium">
        Allow later calls that have the same…{' '}
        <span className="text-xs font-normal text-muted-foreground">
          A field that is not ticked may have any value.
        </span>
      </legend>
      {fields.map(({ at, name, value }) => (
        <label
          key={at}
          className="grid grid-cols-[auto_fit-content(12rem)_minmax(0,1fr)] items-baseline gap-x-2 text-sm"
        >
          <input
            type="checkbox"
            checked={ticked.has(at)}
            onChange={() =>
              onTick(ticked.has(at) ? new Set([...ticked].filter((each) => each !== at)) : new Set([...ticked, at]))
            }
          />
          <span className="font-mono text-xs">
            <ShownText text={name} />
          </span>
          <span className="min-w-0">
            <JsonValue value={value} />
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Where the rule applies, and how long. */
function Extent({
  places,
  where,
  onWhere,
  days,
  onDays,
}: {
  readonly places: readonly Place[]
  readonly where: string
  readonly onWhere: (where: string) => void
  readonly days: number | undefined
  readonly onDays: (days: number | undefined) => void
}): ReactNode {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-2">
      <Choice label="Where" value={where} onChange={onWhere} options={places.map(({ key, words }) => [key, words])} />
      <Choice
        label="How long"
        value={String(days)}
        onChange={(value) => onDays(TIMES.find(([each]) => String(each) === value)?.[0])}
        options={TIMES.map(([each, words]) => [String(each), words])}
      />
    </div>
  )
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onChange: (value: string) => void
}): ReactNode {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-xs text-muted-foreground">
        {label}
      </label>
      <select id={id} className={FIELD} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </div>
  )
}

interface Place {
  readonly key: string
  readonly words: string
  readonly scope: NonNullable<SaveRule['scope']>
}

function placesOf({ conversationId, askedBy = [] }: CardHold, agent: string | undefined): readonly Place[] {
  const [only, ...others] = askedBy
  const person = others.length === 0 && only?.kind !== 'agent' ? only?.by : undefined
  return [
    { key: 'tenant', words: 'in all conversations', scope: {} },
    ...(conversationId === undefined
      ? []
      : [{ key: 'conversation', words: 'in this conversation', scope: { conversation: conversationId } }]),
    ...(person === undefined ? [] : [{ key: 'person', words: `when ${person} asks`, scope: { person } }]),
    ...(agent === undefined ? [] : [{ key: 'agent', words: `by agent ${agent}`, scope: { agent } }]),
  ]
}
