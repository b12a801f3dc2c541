/** The stops of the tour of `npm start` (examples/start). Each stop sends one message to its agents. */
export interface TourStop {
  readonly title: string
  readonly say: string
  readonly about: string
  /** The message is posted in the space, instead of a conversation with one agent. */
  readonly inSpace?: true
}

export const TOUR_AGENT = 'desk'
export const TOUR_SPACE = 'front-desk'

export const tour: readonly TourStop[] = [
  {
    title: 'Approve an e-mail',
    say: 'Write to Ada that the report is ready',
    about:
      'The e-mail waits until you approve it. You can edit it first, or reject it with a reason that the agent reads.',
  },
  {
    title: 'Answer a question',
    say: 'Ask for a budget for the launch',
    about: 'A person runs this tool. The form is made from the schema of the answer, which also validates it.',
  },
  {
    title: 'Use this browser',
    say: 'Which time zone am I in?',
    about: 'The tool runs in this page. If two tabs are open, both run it, and the first answer counts.',
  },
  {
    title: 'Watch something slow',
    say: 'Build the quarterly report',
    about: 'The tool reports its progress while it runs. Reload the page in the middle: nothing is lost.',
  },
  {
    title: 'Hand it to a worker',
    say: 'Ship the parcel to Grace',
    about: 'The call waits twice: first for your approval, then for another program (a worker) that runs it.',
  },
  {
    title: 'Draw a chart',
    say: 'Draw a chart of the sales',
    about: 'The model writes the data, and a component of this console draws the chart.',
  },
  {
    title: 'Search the web',
    say: 'Search the web for tide tables',
    about: 'The vendor of the model runs this search on its own servers. The console shows that it did not run here.',
  },
  {
    title: 'Let two agents work together',
    say: 'Get the launch ready',
    about: 'In a space, one agent asks the other for a chart and then writes an e-mail. You approve the e-mail there.',
    inSpace: true,
  },
  {
    title: 'Watch a plan fire',
    say: 'Remind us in a few seconds',
    about:
      'The agent makes a plan and goes to sleep. Its page counts down, and it wakes at that time, even after a restart.',
    inSpace: true,
  },
]
