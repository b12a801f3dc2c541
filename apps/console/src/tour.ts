/** What to try with what `npm start` serves (examples/start). Each line is something to say to its agents. */
export interface TourStop {
  readonly title: string
  readonly say: string
  readonly about: string
  /** Said in the space, and not to the agent alone. */
  readonly inSpace?: true
}

export const TOUR_AGENT = 'desk'
export const TOUR_SPACE = 'front-desk'

export const tour: readonly TourStop[] = [
  {
    title: 'Approve an e-mail',
    say: 'Write to Ada that the report is ready',
    about: 'The call is held until somebody agrees. Approve it, edit it first, or say why not: the agent reads it.',
  },
  {
    title: 'Answer a question',
    say: 'Ask for a budget for the launch',
    about: 'The tool is carried out by a person. The form comes from its schema, and so does what it refuses.',
  },
  {
    title: 'Use this browser',
    say: 'Which time zone am I in?',
    about: 'The tool runs on this page. In two tabs both run it, and the first answer counts.',
  },
  {
    title: 'Watch something slow',
    say: 'Build the quarterly report',
    about: 'It says how far it is while it runs. Reload the page in the middle: nothing is lost.',
  },
  {
    title: 'Hand it to a worker',
    say: 'Ship the parcel to Grace',
    about: 'Somebody must agree, and then another program carries it out: the call waits twice.',
  },
  {
    title: 'Draw a chart',
    say: 'Draw a chart of the sales',
    about: 'The arguments are the result, and a component of this console shows them.',
  },
  {
    title: 'Search the web',
    say: 'Search the web for tide tables',
    about: 'The vendor of the model runs it. Nothing of it passes through here, and that is shown.',
  },
  {
    title: 'Let two agents work together',
    say: 'Get the launch ready',
    about:
      'In a space with you, one agent asks the other for a chart, and then writes an e-mail. You approve it there.',
    inSpace: true,
  },
  {
    title: 'Watch a plan fire',
    say: 'Remind us in a few seconds',
    about: 'The agent makes a plan and sleeps; its page counts down. It wakes by itself, also after a restart.',
    inSpace: true,
  },
]
