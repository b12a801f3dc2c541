/** Scenarios that we do not pass, and why. Remove a scenario that passes or is not run. */
const TOOLS_ONLY = 'We offer tools alone: no prompts, resources, completions or logs.'
const NO_SAMPLING = 'Sampling and roots are deprecated (SEP-2577): we neither ask for them nor offer them.'
const STATELESS =
  'To clients of the older protocol every request stands alone, so nothing is asked on an open stream: a call that is held is a task, or waits.'

const offered = (...scenarios: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(scenarios.map((scenario) => [scenario, TOOLS_ONLY]))

const resourcesAndPrompts = offered(
  'completion-complete',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
)

export const serverBaseline: Readonly<Record<'2025-11-25' | '2026-07-28', Readonly<Record<string, string>>>> = {
  '2025-11-25': {
    ...resourcesAndPrompts,
    ...offered('logging-set-level', 'tools-call-with-logging', 'resources-subscribe', 'resources-unsubscribe'),
    'tools-call-sampling': NO_SAMPLING,
    'tools-call-elicitation': STATELESS,
    'elicitation-sep1034-defaults': STATELESS,
    'elicitation-sep1330-enums': STATELESS,
  },
  '2026-07-28': {
    ...resourcesAndPrompts,
    caching: TOOLS_ONLY,
    'server-stateless':
      'Two fixtures are missing: one that logs (we do not), and one that fails without a capability (our calls wait instead).',
    'http-custom-header-server-validation': 'No tool of ours asks for its arguments in headers.',
    'input-required-result-basic-elicitation':
      'It wants the key "user_name"; ours say which hold of which call is meant.',
    'input-required-result-basic-sampling': NO_SAMPLING,
    'input-required-result-basic-list-roots': NO_SAMPLING,
    'input-required-result-multiple-input-requests': NO_SAMPLING,
    'input-required-result-non-tool-request': TOOLS_ONLY,
    'input-required-result-capability-check': NO_SAMPLING,
  },
}

export const tasksBaseline: Readonly<Record<string, string>> = {
  'tasks-lifecycle': 'A tool of ours cannot fail as the protocol does: what goes wrong in it is a result.',
  'tasks-mrtr-input': 'A handler asks one question at a time, so none can be half answered.',
  'tasks-required-task-error':
    'No tool of ours needs a client that takes tasks: other clients wait, or come back with a resume token.',
}
