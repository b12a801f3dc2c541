/** What to try with the agent that `npm start` serves (examples/start). Each line is something to say to it. */
export interface TourStop {
  readonly title: string
  readonly say: string
  readonly about: string
}

export const TOUR_AGENT = 'desk'

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
]
