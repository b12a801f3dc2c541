/** When the user is told of holds: in this browser, in quiet hours, and together in a digest. */
import { useId, useState, type ReactNode } from 'react'
import { HoldpointHttpError, type ChannelPreferencesBody, type PersonChannelsRow } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button } from '@holdpoint/ui'
import { ErrorNotice, INPUT } from './parts.tsx'
import { canPush, registerPush } from './push-registration.ts'
import { useMe } from './use-me.ts'

export function Notifications(): ReactNode {
  const me = useMe()
  return me === undefined ? null : <Told key={me} me={me} />
}

function Told({ me }: { readonly me: string }): ReactNode {
  const client = useClient()
  const devices = useWatched(`devices of ${me}`, (from, signal) => orNone(from.channels.devices(me, { signal })))
  const row = useWatched(`channels of ${me}`, (from, signal) => orNone(from.channels.find(me, { signal })))
  const [problem, setProblem] = useState<Error>()
  const change = (made: Promise<unknown>): void => {
    void made.then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(error instanceof Error ? error : new Error(String(error))),
    )
    void made
      .finally(() => {
        devices.refresh()
        row.refresh()
      })
      .catch(() => {})
  }
  const { publicKey, items = [] } = devices.value ?? {}
  if (publicKey === undefined && !row.value) return null
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">Notifications</h2>
      {problem && <ErrorNotice error={problem} />}
      {publicKey !== undefined && (
        <div className="grid justify-items-start gap-2">
          <p className="max-w-prose text-sm text-muted-foreground">
            A notification has the title of a hold, and opens it. It has no arguments.
          </p>
          <Button
            disabled={!canPush()}
            onClick={() => change(registerPush(publicKey).then((device) => client.channels.addDevice(me, device)))}
          >
            Notify me in this browser
          </Button>
          <ul aria-label="Browsers" className="grid gap-1 text-sm empty:hidden">
            {items.map(({ id, createdAt }) => (
              <li key={id} className="flex flex-wrap items-center gap-3">
                <span>
                  A browser, registered <Ago at={createdAt} />
                </span>
                <Button small look="quiet" onClick={() => change(client.channels.removeDevice(me, id))}>
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {row.value && (
        <When key={JSON.stringify(row.value)} row={row.value} onSave={(to) => change(client.channels.prefer(me, to))} />
      )}
    </section>
  )
}

/** A gateway without channels, and a person without an entry, are no errors here. */
async function orNone<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof HoldpointHttpError && [403, 404].includes(error.status)) return undefined
    throw error
  })
}

function When({
  row,
  onSave,
}: {
  readonly row: PersonChannelsRow
  readonly onSave: (preferences: ChannelPreferencesBody) => void
}): ReactNode {
  const { person: _person, addresses, resolver: _resolver, ...before } = row
  const [from, setFrom] = useState(before.quiet?.from ?? '')
  const [to, setTo] = useState(before.quiet?.to ?? '')
  const [times, setTimes] = useState(before.digest?.at.join(', ') ?? '')
  const [off, setOff] = useState<readonly string[]>(before.off ?? [])
  const timeZone = before.quiet?.timeZone ?? before.digest?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const at = times.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
  const save = (): void => {
    const { quiet: _quiet, digest: _digest, off: _off, ...kept } = before
    onSave({
      ...kept,
      ...(off.length > 0 && { off }),
      ...(from !== '' && to !== '' && { quiet: { from, to, timeZone } }),
      ...(at.length > 0 && { digest: { at, timeZone } }),
    })
  }
  return (
    <form
      className="grid justify-items-start gap-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
        <legend className="mb-1">Channels</legend>
        {Object.keys(addresses).map((name) => (
          <label key={name} className="flex items-center gap-1.5">
            <input
              type="checkbox"
              className="accent-(--ring)"
              checked={!off.includes(name)}
              onChange={({ target }) => setOff(target.checked ? off.filter((each) => each !== name) : [...off, name])}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <Times label="Quiet from" type="time" value={from} onChange={setFrom} />
      <Times label="Quiet until" type="time" value={to} onChange={setTo} />
      <Times label="Tell me together at" type="text" hint="09:00, 16:00" value={times} onChange={setTimes} />
      <p className="text-xs text-muted-foreground">
        Times are in {timeZone}. Without times, each hold is told at once.
      </p>
      <Button type="submit">Save</Button>
    </form>
  )
}

function Times({
  label,
  type,
  hint,
  value,
  onChange,
}: {
  readonly label: string
  readonly type: 'time' | 'text'
  readonly hint?: string
  readonly value: string
  readonly onChange: (text: string) => void
}): ReactNode {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        placeholder={hint}
        className={INPUT}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
