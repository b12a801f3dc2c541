/** The evidence about one held call, as a page to read and to print. */
import type { ReactNode } from 'react'
import type { Evidence, EvidenceAnswer, EvidenceHold } from '@holdpoint/client'
import { useWatched } from '@holdpoint/react'
import { Button, JsonValue, PersonName, ShownText } from '@holdpoint/ui'
import { addressOf, ErrorNotice, Loading, Screen, TextLink } from '../parts.tsx'
import { saveFile } from '../save-file.ts'
import { SignedHead } from './signed-head.tsx'

export function EvidenceScreen({
  at,
}: {
  readonly at: { readonly conversationId: string; readonly callId: string }
}): ReactNode {
  const { conversationId, callId } = at
  const { value, loading, error } = useWatched(`evidence ${conversationId} ${callId}`, (client, signal) =>
    client.holds.evidence(conversationId, callId, { signal }),
  )
  if (loading) return <Loading />
  return (
    <Screen
      title="Evidence"
      note="What the log has about this call. It does not show that the people named here are who they say, or that the tool did what its result says."
      actions={value && <Actions evidence={value} />}
    >
      {error && <ErrorNotice error={error} />}
      {value && <Bundle evidence={value} />}
    </Screen>
  )
}

function Actions({ evidence }: { readonly evidence: Evidence }): ReactNode {
  const save = (): void =>
    saveFile(`evidence-${evidence.callId}.json`, 'application/json', [JSON.stringify(evidence, null, 2)])
  return (
    <div className="flex gap-2 print:hidden">
      <Button small onClick={save}>
        Save as JSON
      </Button>
      <Button small onClick={() => print()}>
        Print
      </Button>
    </div>
  )
}

function Bundle({ evidence }: { readonly evidence: Evidence }): ReactNode {
  const { conversationId, callId, tool, asked, holds, rules, starts, outcome, seqs } = evidence
  const people = asked.askedBy.flatMap(({ by }) => (by === undefined ? [] : [by]))
  return (
    <div className="grid gap-5 text-sm">
      <Facts>
        <Fact name="Tool">
          <code className="font-mono">
            <ShownText text={tool} />
          </code>
        </Fact>
        <Fact name="Call">
          <ShownText text={callId} />
        </Fact>
        <Fact name="Conversation">
          <TextLink to={addressOf.conversation(conversationId)}>
            <ShownText text={conversationId} />
          </TextLink>
        </Fact>
        <Fact name="Asked for by">
          {people.length > 0 ? people.map((id) => <Who key={id} id={id} />) : 'no person with a name'}
        </Fact>
        <Fact name="The model asked">
          <When at={asked.at} seq={asked.seq} />
        </Fact>
        <Fact name="The model’s input">
          <JsonValue value={asked.input} />
        </Fact>
      </Facts>
      {rules.map(({ seq, at, decision, shadow }) => (
        <Part key={seq} title="A rule decided">
          {decision && <Decision decision={decision} />}
          {shadow && <Fact name="In shadow mode">{shadow.why}</Fact>}
          <Fact name="When">
            <When at={at} seq={seq} />
          </Fact>
        </Part>
      ))}
      {holds.map((hold, index) => (
        <Hold key={hold.seq} hold={hold} nth={index + 1} />
      ))}
      <Part title="What the call did">
        {starts.map(({ seq, at, attempt }) => (
          <Fact key={seq} name={`Started, attempt ${attempt}`}>
            <When at={at} seq={seq} />
          </Fact>
        ))}
        {starts.length === 0 && <Fact name="Started">never on this server</Fact>}
        {outcome && (
          <>
            <Fact name="Ended">
              <When at={outcome.at} seq={outcome.seq} />
            </Fact>
            <Fact name={outcome.outcome.ok ? 'Result' : 'No result'}>
              {outcome.outcome.ok ? (
                <JsonValue value={outcome.outcome.value} />
              ) : (
                <ShownText text={outcome.outcome.error.message} />
              )}
            </Fact>
          </>
        )}
      </Part>
      <SignedHead conversationId={conversationId} />
      <p className="text-xs text-muted-foreground">
        From the events {seqs.join(', ')} of the log of this conversation.
      </p>
    </div>
  )
}

function Decision({ decision }: { readonly decision: NonNullable<Evidence['rules'][number]['decision']> }): ReactNode {
  const { effect, rule, why, ignored } = decision
  return (
    <>
      <Fact name="Rule">
        <ShownText text={rule.id} />, version {rule.version}
      </Fact>
      <Fact name={ignored === undefined ? effect : `${effect}, not followed`}>
        <ShownText text={ignored === undefined ? why : `${why} ${ignored}`} />
      </Fact>
    </>
  )
}

function Hold({ hold, nth }: { readonly hold: EvidenceHold; readonly nth: number }): ReactNode {
  const { kind, reason, shown, to, approvers, notRequester, expiresAt, meanwhile, answers, verdict } = hold
  return (
    <Part title={`Hold ${nth}: ${kind}, ${verdict}`}>
      <Fact name="Held">
        <When at={hold.at} seq={hold.seq} />, until <Time at={expiresAt} />
      </Fact>
      <Fact name="Reason">{reason === undefined ? 'none was given' : <ShownText text={reason} />}</Fact>
      <Fact name="Who was asked">
        {to ? <ShownText text={to.join(', ')} /> : 'each person with the right to resolve'}
        {approvers > 1 && `; ${approvers} must approve`}
        {notRequester && '; not those who asked'}
      </Fact>
      <Fact name="Shown input">
        <JsonValue value={shown.input} />
      </Fact>
      <Fact name="Its SHA-256">
        <Hash text={shown.inputHash} />
      </Fact>
      <Fact name="Definition of the tool">
        {shown.definition ? <JsonValue value={shown.definition.description} /> : 'not kept'}
        <Hash text={shown.fingerprint} />
      </Fact>
      {meanwhile.map(({ seq, at, what, by }) => (
        <Fact key={seq} name="Meanwhile">
          <ShownText text={what} /> {by !== undefined && <Who id={by} />} <When at={at} seq={seq} />
        </Fact>
      ))}
      {answers.map((answer) => (
        <Fact key={answer.seq} name={ANSWERS[answer.kind]}>
          <Answer answer={answer} />
        </Fact>
      ))}
    </Part>
  )
}

const ANSWERS: Readonly<Record<EvidenceAnswer['kind'], string>> = {
  approve: 'Approved',
  endorse: 'Approved, as one of several',
  reject: 'Rejected',
  answer: 'Answered',
}
const AUTH: Readonly<Record<NonNullable<EvidenceAnswer['auth']>, string>> = {
  key: 'a key',
  token: 'a token',
  session: 'a sign-in',
  application: 'the login of the application',
  channel: 'a message or a link at their address',
}

function Answer({ answer }: { readonly answer: EvidenceAnswer }): ReactNode {
  const { by, via, onBehalfOf, auth, at, seq, inputHash, resolution } = answer
  return (
    <>
      by {by === undefined ? 'a caller without a name' : <Who id={by} />}
      {onBehalfOf !== undefined && (
        <>
          , in place of <Who id={onBehalfOf} />
        </>
      )}
      {via !== undefined && (
        <>
          , through <ShownText text={via} />
        </>
      )}
      , authenticated by {auth ? AUTH[auth] : 'the program that embeds the runtime'}, <When at={at} seq={seq} />
      {resolution?.kind === 'reject' && resolution.reason !== undefined && (
        <span className="block">
          <ShownText text={resolution.reason} />
        </span>
      )}
      {inputHash !== undefined && <Hash text={inputHash} />}
    </>
  )
}

function Facts({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="grid grid-cols-1 gap-x-4 gap-y-1.5 sm:grid-cols-[12rem_minmax(0,1fr)]">{children}</dl>
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className="grid gap-2 border-t border-border pt-4 break-inside-avoid">
      <h2 className="text-base font-semibold">{title}</h2>
      <Facts>{children}</Facts>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted-foreground">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}

function Hash({ text }: { readonly text: string }): ReactNode {
  return <code className="block font-mono text-xs text-muted-foreground">{text}</code>
}

function Who({ id }: { readonly id: string }): ReactNode {
  return (
    <b className="font-medium">
      <PersonName id={id} />
    </b>
  )
}

function When({ at, seq }: { readonly at: number; readonly seq: number }): ReactNode {
  return (
    <>
      <Time at={at} /> <span className="text-xs text-muted-foreground">(event {seq})</span>
    </>
  )
}

function Time({ at }: { readonly at: number }): ReactNode {
  const time = new Date(at)
  return (
    <time dateTime={time.toISOString()}>
      {time
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, ' UTC')}
    </time>
  )
}
